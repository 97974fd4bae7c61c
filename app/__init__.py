"""Rackrate: rentable GPU instances compared by what a training run on them costs in the end."""
