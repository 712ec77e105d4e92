import SupervisedPush

/// Works through a queue, a hundred jobs at a time.
struct Worker {
    /// What becomes of a job after an attempt.
    enum Verdict: Sendable {
        case done
        /// The device token is invalid: delete it, the job is done.
        case dropToken
        /// APNs will never take it as it is.
        case failed
        /// Back into the queue: another attempt does no harm.
        case requeue(why: String)
        /// It may have been delivered, and a duplicate would do harm.
        case deadLetter
    }

    static let maxAttempts = 5

    let connection: any PushSending

    func work(through jobs: [Job]) async -> Tally {
        var queue = jobs
        var tally = Tally()
        while !queue.isEmpty {
            let batch = queue.prefix(100)
            queue.removeFirst(batch.count)
            for (job, verdict) in await attempt(batch) {
                switch verdict {
                case .done: tally.delivered += 1
                case .dropToken: tally.tokensDropped += 1
                case .failed: tally.failed += 1
                case .deadLetter: tally.deadLetters += 1
                case .requeue where job.attempts >= Self.maxAttempts: tally.failed += 1
                case .requeue(let why):
                    tally.requeued[why, default: 0] += 1
                    queue.append(job)
                }
            }
        }
        return tally
    }

    private func attempt(_ batch: ArraySlice<Job>) async -> [(Job, Verdict)] {
        await withTaskGroup(of: (Job, Verdict).self) { group in
            for var job in batch {
                job.attempts += 1
                group.addTask { [job] in (job, await verdict(on: job)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func verdict(on job: Job) async -> Verdict {
        guard let notification = try? job.notification() else { return .failed }
        do {
            return verdict(on: try await connection.push(notification, to: job.deviceToken))
        } catch {
            switch error.certainty {
            case .notSent, .unprocessed: return .requeue(why: error.certainty.rawValue)
            case .unknown: return job.kind == .orderStatus ? .requeue(why: "unknown, but harmless") : .deadLetter
            case .answered: return .failed
            }
        }
    }

    /// An answer is certain: it says itself whether another attempt makes sense.
    private func verdict(on answer: PushResponse) -> Verdict {
        switch answer.advice {
        case nil: .done
        case .dropToken?: .dropToken
        case .wait?, .reconnect?: .requeue(why: "\(answer.status)")
        default: .failed
        }
    }
}
