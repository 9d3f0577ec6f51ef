"""The counting room: resampling and intervals on tallies. No torch."""
