import Glibc

/// Round numbers for an axis.
enum Ticks {
    /// From zero to at least `most`: three to eight steps, evenly.
    static func even(to most: Double) -> [Double] {
        guard most > 0, most.isFinite else { return [0, 1] }
        let power = pow(10, floor(log10(most / 3)))
        let step = [1, 2, 5, 10].map { $0 * power }.last { $0 * 3 <= most } ?? power
        return (0...Int((most / step).rounded(.up))).map { Double($0) * step }
    }

    /// 1, 2, 5, 10, 20 …, from at most `least` to at least `most`, for a logarithmic axis.
    static func logarithmic(from least: Double, to most: Double) -> [Double] {
        guard least > 0, most >= least, most.isFinite else { return [1, 10] }
        let powers = Int(floor(log10(least)))...Int(floor(log10(most)) + 1)
        let all = powers.flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
        let first = all.lastIndex { $0 <= least } ?? 0
        let last = all.firstIndex { $0 >= most } ?? all.count - 1
        return Array(all[first...max(last, first + 1)])
    }
}
