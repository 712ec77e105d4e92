import ProcessRuntime

/// Decides when to check a credential in use: when to warn that its certificate expires, when to read it again, and
/// which failures to report.
struct CredentialWatch {
    /// The result of a check.
    struct Look: Equatable {
        /// How many seconds the certificate has left, if a warning is due.
        var expiresIn: Int64?
        var reloads = false
        /// When to check again; nil: not before another credential is adopted.
        var next: Duration?
    }

    private let rule: CredentialReload
    private var warnings = ExpiryWarnings()
    private var files = FileWatch()
    private var nextPoll = MonotonicInstant(nanoseconds: 0)
    private var isReloading = false
    /// The last failure of a poll that was reported. It is reported again only after a success.
    private var told: String?

    /// - Parameter known: The files as they were before they were read; nil: read them once more.
    init(_ rule: CredentialReload, known: [FileVersion?]?, _ now: MonotonicInstant) {
        self.rule = rule
        if let interval = rule.interval { nextPoll = now.advanced(by: interval) }
        watch(known: known)
    }

    /// The credential in use has another source.
    mutating func watch(known: [FileVersion?]?) { files = FileWatch(known: known) }

    /// - Parameters:
    ///   - notAfter: The end of the certificate, in seconds since 1970; nil: there is none.
    ///   - current: The files as they are, where the rule has them watched.
    mutating func check(
        notAfter: Int64?, current: [FileVersion?], _ now: MonotonicInstant, wallClockSeconds: Int64
    ) -> Look {
        let (left, lookAfter) = warnings.check(notAfter, wallClockSeconds)
        var look = Look(expiresIn: left, next: lookAfter.map { .seconds($0) })
        switch rule.rule {
        case .byCall: return look
        case .watching(let interval):
            look.reloads = !isReloading && files.check(current)
            look.next = min(look.next ?? interval, interval)
        case .polling(let interval):
            if nextPoll <= now {
                look.reloads = !isReloading
                nextPoll = nextPoll.advanced(by: interval)
                if nextPoll <= now { nextPoll = now.advanced(by: interval) }
            }
            let wait = now.duration(to: nextPoll)
            look.next = min(look.next ?? wait, wait)
        }
        isReloading = isReloading || look.reloads
        return look
    }

    /// The credential was read again.
    ///
    /// - Returns: The failure to report.
    mutating func reloaded(_ end: CredentialReloadEnd) -> ConnectError? {
        isReloading = false
        guard rule.watchesFiles else { return newsOfPoll(end) }
        switch end {
        case .inUse: files.reloaded(.accepted)
        case .later: files.reloaded(.failed)
        case .failed(let error) where error.code == .replacement:
            files.reloaded(.failed)
            return error
        case .failed(let error):
            files.reloaded(.unusable)
            defer { files.told = error.description }
            return files.told == error.description ? nil : error
        }
        return nil
    }

    private mutating func newsOfPoll(_ end: CredentialReloadEnd) -> ConnectError? {
        switch end {
        case .inUse: told = nil
        case .later: break
        case .failed(let error):
            defer { told = error.description }
            return told == error.description ? nil : error
        }
        return nil
    }
}

/// Decides when to read changed files again: once two checks found them the same, so that none is read half-written.
struct FileWatch {
    /// How to try files again that could not be used and have not changed.
    enum Verdict {
        /// What was read is in use.
        case accepted
        /// What was read cannot be used. The files are read again when they change. The cause may also pass on its own,
        /// for example a certificate that is not valid yet, so they are tried again after 32 checks.
        case unusable
        /// No link came up with it, or it was not tried: try again after twice as many checks as before.
        case failed
    }

    /// The files in use; nil at the beginning, when files may have changed since they were read.
    private var known: [FileVersion?]?
    private var candidate: [FileVersion?]?
    private var looksUntilNext = 0
    private var pause = 1
    /// The reported failure of these files. It is reported again only after they change.
    var told: String?
    private static let longestPause = 32

    /// - Parameter known: The files as they were before they were read; nil: read them once more.
    init(known: [FileVersion?]? = nil) { self.known = known }

    /// True if the files must be read now.
    mutating func check(_ files: [FileVersion?]) -> Bool {
        guard files != known else {
            (candidate, told) = (nil, nil)
            return false
        }
        guard files == candidate else {
            (candidate, told) = (files, nil)
            (looksUntilNext, pause) = (0, 1)
            return false
        }
        guard looksUntilNext == 0 else {
            looksUntilNext -= 1
            return false
        }
        return true
    }

    /// The files of the last check were read.
    mutating func reloaded(_ verdict: Verdict) {
        guard let candidate else { return }
        switch verdict {
        case .accepted:
            known = candidate
            self.candidate = nil
        case .unusable:
            looksUntilNext = Self.longestPause
        case .failed:
            looksUntilNext = pause
            pause = min(pause * 2, Self.longestPause)
        }
    }
}

/// Decides when to warn that a certificate expires: 30, 7 and 1 days ahead, once each; what was passed already, once at
/// the beginning.
struct ExpiryWarnings {
    private static let day: Int64 = 86_400
    /// How long before the end, in seconds, the earliest first.
    private static let leads: [Int64] = [30 * day, 7 * day, day]

    /// The end of the certificate that was looked at last.
    private var notAfter: Int64?
    /// How many of the leads have had their warning.
    private var warned = 0

    /// What to do now, with the end of the certificate and the wall clock in seconds since 1970; a nil end: there is
    /// none.
    ///
    /// - Returns: How long it has left, if that is to be told now; and after how many seconds to look again, a day at
    ///   most, because wall clocks are set.
    mutating func check(_ notAfter: Int64?, _ now: Int64) -> (left: Int64?, lookAfter: Int64?) {
        guard let notAfter else { return (nil, nil) }
        if notAfter != self.notAfter {
            self.notAfter = notAfter
            warned = 0
        }
        let left = notAfter - now
        let passed = Self.leads.count { left <= $0 }
        let isNew = passed > warned
        warned = max(warned, passed)
        guard left > 0 else { return (isNew ? left : nil, nil) }
        let next = passed < Self.leads.count ? left - Self.leads[passed] : left
        return (isNew ? left : nil, min(max(next, 1), Self.day))
    }
}
