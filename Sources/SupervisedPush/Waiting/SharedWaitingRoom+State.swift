import ProcessRuntime

extension SharedWaitingRoom {
    /// What the lock guards.
    struct State {
        var room: WaitingRoom
        /// The processes of the holders, by their numbers.
        var processes: [Address<ConnectionMessage>?] = []
        var heldLooks = HeldLooks()
        /// When the timer fires; it is not armed again for a later instant.
        var armedFor: MonotonicInstant?
        /// How many threads are about to deliver endings.
        var handingOver = 0
        var afterHandingOver: [@Sendable () -> Void] = []

        func process(_ id: WaitingRoom.HolderID) -> Address<ConnectionMessage>? {
            processes.indices.contains(Int(id)) ? processes[Int(id)] : nil
        }

        /// When the timer must fire, if that is earlier than it will.
        mutating func wakeToArm() -> MonotonicInstant? {
            // A timer that fires too early costs one check; arming it for every push would cost more.
            let wake = min(room.nextWake ?? PushTimes.never, heldLooks.end ?? PushTimes.never)
            guard wake != PushTimes.never, armedFor.map({ wake < $0 }) ?? true else { return nil }
            armedFor = wake
            return wake
        }

        /// The messages of the effects to processes, beyond the first wake-up.
        func mail(_ effects: RoomEffects.Rest, from id: WaitingRoom.HolderID) -> [Mail] {
            var mail: [Mail] = []
            func tell(_ id: WaitingRoom.HolderID, _ message: ConnectionMessage) {
                if let process = process(id) { mail.append(Mail(process: process, message: message)) }
            }
            if let prober = effects.probes { tell(prober, .credential(.probe)) }
            if let prober = effects.probeOver { tell(prober, .credential(.probeOver)) }
            if let news = effects.news {
                for other in room.holders.ids where other != id { tell(other, .credential(news)) }
            }
            for id in effects.furtherLooks { tell(id, .look) }
            return mail
        }
    }

    /// A message and its receiver.
    struct Mail {
        let process: Address<ConnectionMessage>
        let message: ConnectionMessage
    }
}
