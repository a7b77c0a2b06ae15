del vector_add
