def append_kv(k, v, k_cache, v_cache, slots):
    k_cache[slots] = k
    v_cache[slots] = v
