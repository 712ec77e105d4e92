import Dispatch
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport

/// What callers do in a random life.
extension OracleRun {
    /// Callers that block have threads of their own, a few.
    private static let blockingCallers = DispatchQueue(label: "oracle.blocking", attributes: .concurrent)

    mutating func push() {
        guard let place = stage.places.randomElement(using: &random),
            let form = OracleBook.Form.allCases.randomElement(using: &random)
        else { return }
        let options = options()
        let (mayRepeat, isRetried) = (options.resend == .resendUnknown, options.statusRetry != nil)
        let numbers = book.add(1 + roll(form == .blocking ? 3 : 40)) { _ in
            OracleBook.Entry(form: form, mayRepeat: mayRepeat, isRetried: isRetried)
        }
        if form == .bulk { return bulk(numbers, place, options) }
        let isLarge = chance(10)
        for number in numbers { push(number, form, place, notification(number, isLarge: isLarge), options) }
    }

    /// Pushes to a few devices over the connection that keeps their order.
    mutating func pushInOrder() {
        let devices = (0..<1 + roll(20)).map { _ in roll(3) }
        let numbers = book.add(devices.count) { _ in
            OracleBook.Entry(form: .completion, mayRepeat: false, isRetried: false)
        }
        for (number, device) in zip(numbers, devices) {
            book.order(number, of: device)
            handles.append(
                stage.runtime.push(
                    name: OracleStage.ordered, notification(number, isLarge: false),
                    to: Samples.token(1_000_000 + device),
                    completion: completion(number)))
        }
    }

    /// Cancels some of the pushes that are under way, and forgets about the others.
    mutating func cancel() {
        for handle in handles.suffix(40) where chance(50) { handle.cancel() }
        for task in cancellable.suffix(40) where chance(50) { task.cancel() }
        handles = []
        cancellable = []
    }

    private mutating func options() -> PushOptions {
        var options = PushOptions()
        if chance(60) { options.timeout = .milliseconds(50 + roll(3_000)) }
        switch roll(10) {
        case 0: options.resend = .resendUnknown
        case 1: options.resend = .never
        case 2: options.statusRetry = StatusRetryPolicy(retries: 2, firstDelay: .milliseconds(50))
        default: break
        }
        if chance(30) { options.whenFull = [.wait, .reject, .dropOldest].randomElement(using: &random) }
        if chance(10) { options.mark = .suspect }
        return options
    }

    private func notification(_ number: Int, isLarge: Bool) -> PushNotification {
        var notification = isLarge ? Self.large : Samples.flight
        notification.apnsID = .fixed(Self.id(number, seed: seed))
        return notification
    }

    private static let large = PushNotification.alert(
        title: "Flight A998", body: String(repeating: "Boarding. ", count: 300))

    private func completion(_ number: Int) -> @Sendable (Result<PushResponse, PushError>) -> Void {
        { [book] in book.ended(number, $0) }
    }

    private mutating func push(
        _ number: Int, _ form: OracleBook.Form, _ place: OracleStage.Place, _ notification: PushNotification,
        _ options: PushOptions
    ) {
        let (runtime, book, token) = (stage.runtime, book, Samples.token(number))
        switch form {
        case .async, .bulk:
            let task = Task {
                book.ended(number, await runtime.oracleResult(place, notification, token, options))
            }
            tasks.append(task)
            cancellable.append(task)
        case .completion:
            handles.append(runtime.oraclePush(place, notification, token, options, completion(number)))
        case .blocking:
            tasks.append(
                Task {
                    await withCheckedContinuation { continuation in
                        Self.blockingCallers.async {
                            book.ended(number, runtime.oracleBlocking(place, notification, token, options))
                            continuation.resume()
                        }
                    }
                })
        case .fireAndForget:
            do { handles.append(try runtime.oracleSend(place, notification, token, number, options)) } catch {
                book.refused(number)
            }
        }
    }

    private mutating func bulk(_ numbers: Range<Int>, _ place: OracleStage.Place, _ options: PushOptions) {
        let pushes = numbers.map { number in
            Push(notification(number, isLarge: false), to: Samples.token(number), context: number)
        }
        let bulkOptions = BulkOptions(maxOutage: .seconds(3), push: options)
        let (runtime, book) = (stage.runtime, book)
        tasks.append(
            Task {
                // It throws at its end if it could not take everything; each push that it took has its outcome by then.
                do {
                    let bulk = try runtime.connection(place).bulk(pushes, options: bulkOptions)
                    for try await outcome in bulk { book.ended(numbers.lowerBound + outcome.index, outcome.result) }
                } catch {}
                book.bulkEnded(numbers)
            })
    }
}

/// The forms of push, by name or by pid.
extension PushRuntime {
    fileprivate func connection(_ place: OracleStage.Place) throws(LookupError) -> PushConnection {
        switch place {
        case .name(let name): try connection(named: name)
        case .pid(let pid): try connection(pid)
        }
    }

    fileprivate func oracleResult(
        _ place: OracleStage.Place, _ notification: PushNotification, _ token: DeviceToken, _ options: PushOptions
    ) async -> Result<PushResponse, PushError> {
        do throws(PushError) {
            switch place {
            case .name(let name): return .success(try await push(name: name, notification, to: token, options: options))
            case .pid(let pid): return .success(try await push(pid, notification, to: token, options: options))
            }
        } catch { return .failure(error) }
    }

    fileprivate func oraclePush(
        _ place: OracleStage.Place, _ notification: PushNotification, _ token: DeviceToken, _ options: PushOptions,
        _ completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        switch place {
        case .name(let name): push(name: name, notification, to: token, options: options, completion: completion)
        case .pid(let pid): push(pid, notification, to: token, options: options, completion: completion)
        }
    }

    fileprivate func oracleBlocking(
        _ place: OracleStage.Place, _ notification: PushNotification, _ token: DeviceToken, _ options: PushOptions
    ) -> Result<PushResponse, PushError> {
        guard let connection = try? connection(place) else { return .failure(PushError(.closed, certainty: .notSent)) }
        do throws(PushError) {
            return .success(try connection.pushBlocking(notification, to: token, options: options))
        } catch { return .failure(error) }
    }

    fileprivate func oracleSend(
        _ place: OracleStage.Place, _ notification: PushNotification, _ token: DeviceToken, _ number: Int,
        _ options: PushOptions
    ) throws(PushError) -> PushHandle {
        switch place {
        case .name(let name): try send(name: name, notification, to: token, context: number, options: options)
        case .pid(let pid): try send(pid, notification, to: token, context: number, options: options)
        }
    }
}
