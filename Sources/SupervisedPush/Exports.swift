// What a user of the runtime needs of other modules, and nothing else of them: what a push is, and the processes' own
// terms that this module's declarations name. Supervisors, behaviors and clocks stay in the product `ProcessRuntime`.
//
// Scoped imports and not type aliases: the members of an alias's type are invisible under `MemberImportVisibility`.

@_exported import PushProtocol

@_exported import enum ProcessRuntime.ExitReason
@_exported import class ProcessRuntime.Mailbox
@_exported import protocol ProcessRuntime.MailboxMessage
@_exported import struct ProcessRuntime.ProcessID
@_exported import struct ProcessRuntime.RestartIntensity
@_exported import enum ProcessRuntime.RestartPolicy
