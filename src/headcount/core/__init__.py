"""The hall: what is carried between rooms. Standard library and numpy only."""
