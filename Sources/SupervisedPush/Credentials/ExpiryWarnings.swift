/// Decides when to warn that a certificate expires: 30, 7 and 1 days ahead, once each; what was passed already, once at the
/// beginning.
struct ExpiryWarnings {
    private static let day: Int64 = 86_400
    /// How long before the end, in seconds, the earliest first.
    private static let leads: [Int64] = [30 * day, 7 * day, day]

    /// The end of the certificate that was looked at last.
    private var notAfter: Int64?
    /// So many of the leads have been warned of.
    private var warned = 0

    /// What to do now, with the end of the certificate and the wall clock in seconds since 1970; a nil end: there is none.
    ///
    /// - Returns: how long it has left, if that is to be told now; and after how many seconds to look again, a day at most,
    ///   because wall clocks are set.
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
