/// UTF-16 surrogates that are written as escapes: `\ud83d\ude04` is one character, and half of it is none.
package enum Surrogates {
    /// Whether each escape of a surrogate has its other half beside it.
    ///
    /// JSON permits half a pair, but Foundation's readers, among others, refuse the whole text then.
    ///
    /// - Parameter json: Valid JSON.
    package static func arePaired(inJSON json: [UInt8]) -> Bool {
        var isOpen = false
        var index = 0
        while index < json.count {
            guard let unit = unit(at: index, json) else {
                if isOpen { return false }
                // An escaped backslash begins no escape.
                index += json[index] == UInt8(ascii: "\\") ? 2 : 1
                continue
            }
            let isLow = UTF16.isTrailSurrogate(unit)
            if isLow != isOpen { return false }
            isOpen = UTF16.isLeadSurrogate(unit)
            index += 6
        }
        return !isOpen
    }

    /// The code unit of an escape `\u…` at this place.
    private static func unit(at index: Int, _ json: [UInt8]) -> UInt16? {
        guard json[index] == UInt8(ascii: "\\"), index + 6 <= json.count, json[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return json[(index + 2)..<(index + 6)].reduce(UInt16(0)) { $0 << 4 | UInt16(Hex.value(of: $1) ?? 0) }
    }
}
