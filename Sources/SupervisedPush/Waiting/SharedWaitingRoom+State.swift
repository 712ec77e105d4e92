import ProcessRuntime

extension SharedWaitingRoom {
    /// What the lock guards.
    struct State {
        var room: WaitingRoom
        /// The processes of the holders, by their numbers.
        var processes: [Address<ConnectionMessage>?] = []
        var heldWakeUps = HeldWakeUps()
        var alarm = EarliestAlarm()
        /// How many threads are about to deliver endings.
        var handingOver = 0
        var afterHandingOver: [@Sendable () -> Void] = []

        func process(_ id: WaitingRoom.HolderID) -> Address<ConnectionMessage>? {
            processes.indices.contains(Int(id)) ? processes[Int(id)] : nil
        }

        /// When the timer must fire, if that is earlier than it will.
        mutating func wakeToArm(_ now: MonotonicInstant) -> MonotonicInstant? {
            let wake = min(room.nextWake ?? PushTimes.never, heldWakeUps.end ?? PushTimes.never)
            return wake != PushTimes.never && alarm.mustArm(for: wake, now) ? wake : nil
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
            for id in effects.furtherWoken { tell(id, .pushesWait) }
            return mail
        }
    }

    /// A message and its receiver.
    struct Mail {
        let process: Address<ConnectionMessage>
        let message: ConnectionMessage
    }
}
