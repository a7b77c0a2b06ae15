"""Values of a kernel's lines in Triton's interpreter, and the line whose change fixes an answer."""
