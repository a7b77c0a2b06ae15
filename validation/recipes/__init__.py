"""What pairs are generated from. Knows no Django."""
