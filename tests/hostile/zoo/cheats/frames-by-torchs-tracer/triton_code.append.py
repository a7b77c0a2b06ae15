from torch.fx.experimental import symbolic_shapes

frame = symbolic_shapes._find_user_code_frame
