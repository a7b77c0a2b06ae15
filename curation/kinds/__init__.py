"""What a kernel's text shows: its calls, its data flow, and how hard it is to write."""
