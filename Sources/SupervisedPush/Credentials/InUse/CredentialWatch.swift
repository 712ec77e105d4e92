import ProcessRuntime

/// Decides when to watch over a credential in use: when to warn that its certificate expires, when to read it again,
/// and which failure of that is news.
struct CredentialWatch {
    /// What to do now.
    struct Look: Equatable {
        /// How many seconds the certificate has left, if that is to be told.
        var expiresIn: Int64?
        var reloads = false
        /// When to look again; nil: not before another credential is taken.
        var next: Duration?
    }

    private let rule: CredentialReload
    private var warnings = ExpiryWarnings()
    private var files = FileWatch()
    private var nextPoll = MonotonicInstant(nanoseconds: 0)
    private var isReloading = false
    /// What was told of the last poll that failed: it is not told again before one succeeds.
    private var told: String?

    /// - Parameter known: The files as they were before they were read; nil: they are to be read once more.
    init(_ rule: CredentialReload, known: [FileVersion?]?, _ now: MonotonicInstant) {
        self.rule = rule
        if let interval = rule.interval { nextPoll = now.advanced(by: interval) }
        watch(known: known)
    }

    /// The credential in use comes from another source.
    mutating func watch(known: [FileVersion?]?) { files = FileWatch(known: known) }

    /// - Parameters:
    ///   - notAfter: The end of the certificate, in seconds since 1970; nil: there is none.
    ///   - current: The files as they are, where the rule has them watched.
    mutating func look(
        notAfter: Int64?, _ current: [FileVersion?], _ now: MonotonicInstant, wallClockSeconds: Int64
    ) -> Look {
        let (left, lookAfter) = warnings.look(notAfter, wallClockSeconds)
        var look = Look(expiresIn: left, next: lookAfter.map { .seconds($0) })
        switch rule.rule {
        case .byCall: return look
        case .watching(let interval):
            look.reloads = !isReloading && files.look(current)
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
    /// - Returns: The failure that is to be told.
    mutating func reloaded(_ end: CredentialReloadEnd) -> ConnectError? {
        isReloading = false
        guard rule.watchesFiles else { return newsOfPoll(end) }
        switch end {
        case .inUse: files.reloaded(.taken)
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

/// Decides when files that changed are read again: once they have looked the same twice, so that none is read
/// half-written.
struct FileWatch {
    /// How files that could not be used are tried again although they have not changed.
    enum Verdict {
        /// What was read is in use.
        case taken
        /// What was read cannot be used. That they change is waited for – but what keeps a file from being read, or a
        /// certificate from being valid yet, may also pass by itself: they are tried again after 32 looks.
        case unusable
        /// No link came up with it, or it was not tried: after twice as many looks as before.
        case failed
    }

    /// What is in use; nil at the beginning, when files may have changed since they were read.
    private var known: [FileVersion?]?
    private var candidate: [FileVersion?]?
    private var looksUntilNext = 0
    private var pause = 1
    /// What was told of these files when they could not be used: it is not told again before they change.
    var told: String?
    private static let longestPause = 32

    /// - Parameter known: The files as they were before they were read; nil: they are to be read once more.
    init(known: [FileVersion?]? = nil) { self.known = known }

    /// True if the files are to be read now.
    mutating func look(_ files: [FileVersion?]) -> Bool {
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

    /// The files of the last look were read.
    mutating func reloaded(_ verdict: Verdict) {
        guard let candidate else { return }
        switch verdict {
        case .taken:
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
    /// So many of the leads have been warned of.
    private var warned = 0

    /// What to do now, with the end of the certificate and the wall clock in seconds since 1970; a nil end: there is
    /// none.
    ///
    /// - Returns: How long it has left, if that is to be told now; and after how many seconds to look again, a day at
    ///   most, because wall clocks are set.
    mutating func look(_ notAfter: Int64?, _ now: Int64) -> (left: Int64?, lookAfter: Int64?) {
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
