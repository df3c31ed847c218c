"""Looking at values while a program runs: not part of evaluation."""
