/// Why a text is not a device token. It never holds the text itself, so it may be logged.
public struct InvalidDeviceToken: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the text.
    public enum Problem: Hashable, Sendable {
        /// There is no digit at all.
        case empty
        /// A byte that is not a hexadecimal digit stands at this offset, counted in UTF-8 bytes from 0.
        case notHexadecimal(offset: Int)
        /// An odd number of digits is half a byte too many or too few.
        case oddLength(digits: Int)
        /// More digits than `DeviceToken.acceptedLengths` allows.
        case tooLong(digits: Int)
        /// The text is no base64.
        case notBase64
    }

    /// What is wrong.
    public let problem: Problem

    init(_ problem: Problem) {
        self.problem = problem
    }

    /// What is wrong, and what a device token looks like.
    public var description: String {
        switch problem {
        case .empty:
            "the device token is empty: give its hexadecimal digits"
        case .notHexadecimal(let offset):
            "the device token has something other than a hexadecimal digit at offset \(offset): "
                + "give the digits alone, without spaces or brackets"
        case .oddLength(let digits):
            "the device token has \(digits) digits, an odd number: two digits make a byte, so one is missing"
        case .tooLong(let digits):
            "the device token has \(digits) digits, more than \(DeviceToken.acceptedLengths.upperBound): "
                + "this is not a device token"
        case .notBase64:
            "the device token is not base64 with its padding: give the data as the device reported it"
        }
    }
}
