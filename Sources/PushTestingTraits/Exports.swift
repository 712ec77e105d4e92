// One import is enough, beside that of Testing.

@_exported import PushTesting
