"""What holds the server: whose requests are taken, how large, how many, and under which names."""
