"""Pure maths of a training run. No clock, no I/O, no logging, no randomness; numpy and the words of `domain`."""
