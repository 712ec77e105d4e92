/// Numbers for a person to read, the same in every locale.
package enum Figures {
    /// `1,234,567`
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 push`, `1,602 pushes`
    package static func counted(_ number: Int, one: String, many: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : many)"
    }

    /// `0:07`, `12:30`, `3:04:05`; for more than four days, or if it is not a number, `–`.
    package static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, (0..<360_000).contains(seconds) else { return "–" }
        let whole = Int(seconds.rounded())
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = rest < 10 ? "0\(rest)" : "\(rest)"
        guard hours > 0 else { return "\(minutes):\(tail)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)"
    }

    /// `2 h`, `1 h 30 min`, `5 min 20 s`, `3 d 4 h`: the two largest units, without the sign.
    package static func span(_ seconds: Int64) -> String {
        let units: [(name: String, length: UInt64)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        var rest = seconds.magnitude
        guard let largest = units.firstIndex(where: { $0.length <= rest }) else { return "0 s" }
        let parts = units[largest...].prefix(2).compactMap { unit -> String? in
            let (count, left) = rest.quotientAndRemainder(dividingBy: unit.length)
            rest = left
            return count > 0 ? "\(grouped(Int(count))) \(unit.name)" : nil
        }
        return parts.joined(separator: " ")
    }

    /// `1,234.5`; if it is not a number of seconds, `–`.
    package static func tenths(_ seconds: Double) -> String {
        guard seconds.isFinite, (0..<1e9).contains(seconds) else { return "–" }
        let tenths = Int((seconds * 10).rounded())
        return "\(grouped(tenths / 10)).\(tenths % 10)"
    }

    /// `512 bytes`, `4.2 kB`, `1.5 GB`: decimal units.
    package static func bytes(_ count: Int64) -> String {
        var (value, unit) = (Double(max(0, count)), "bytes")
        for next in ["kB", "MB", "GB", "TB"] where value >= 999.5 { (value, unit) = (value / 1_000, next) }
        return unit == "bytes" ? "\(max(0, count)) bytes" : "\(tenths(value)) \(unit)"
    }

    /// `0.8 s`, `6 s`, `2:30`: for a time that runs down.
    package static func wait(_ seconds: Double) -> String {
        let left = max(0, seconds)
        // 9.96 s would be `10.0 s`.
        if left < 9.95 { return left == left.rounded() ? "\(Int(left)) s" : "\(tenths(left)) s" }
        return left < 120 ? "\(Int(left.rounded())) s" : clock(left)
    }

    /// `in 4.2 s (23,810/s)`; `in 22 ms` if that is too short for a rate.
    package static func pace(_ count: Int, seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "" }
        guard seconds >= 0.1 else { return "in \(Int((seconds * 1_000).rounded())) ms" }
        return "in \(tenths(seconds)) s (\(grouped(Int((Double(count) / seconds).rounded())))/s)"
    }
}
