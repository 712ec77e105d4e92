@_exported import ProcessRuntime
@_exported import PushProtocol
