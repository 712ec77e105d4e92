// One import is enough for a test: what a push is, what receives it, and the clock of both.

@_exported import PushSimulator
@_exported import SupervisedPush

@_exported import class ProcessRuntime.ManualTime
