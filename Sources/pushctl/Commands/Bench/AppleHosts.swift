/// Apple's own push service. A provider that sends it many pushes to devices that do not exist is blocked.
enum AppleHosts {
    private static let domain = "push.apple.com"

    /// By name, or by an address in Apple's network, 17.0.0.0/8.
    static func contain(_ host: String) -> Bool {
        var name = host.lowercased()
        while name.hasSuffix(".") { name.removeLast() }
        if name == domain || name.hasSuffix("." + domain) { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.first == 17 && !numbers.contains(nil)
    }
}
