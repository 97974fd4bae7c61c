"""What runs by itself: the polite client, one scrape end to end, the schedule and the queue."""
