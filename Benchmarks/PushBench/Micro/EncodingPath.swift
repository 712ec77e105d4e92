import PushProtocol

/// Payloads from Swift values to JSON, one for each device.
enum EncodingPath {
    private struct Order: Encodable {
        var order: Int
        var items = ["shoes", "socks"]
        var express = true
    }

    static func time(burst: Int, bursts: Int) throws -> [String: Double] {
        var (full, custom, own, activity, cut) = (MicroTimer(), MicroTimer(), MicroTimer(), MicroTimer(), MicroTimer())
        var bytes = 0
        let long = String(repeating: "Boarding at gate 12 – rows 17 and higher first. ", count: 100)
        for _ in 0..<bursts {
            try full.time(burst) { for number in 0..<burst { bytes += try Payload(aps(number)).count } }
            try custom.time(burst) {
                for number in 0..<burst {
                    bytes += try Payload(
                        body: "Order \(number)",
                        content: ["order": .integer(number), "items": ["shoes", "socks"], "express": true]
                    ).count
                }
            }
            try own.time(burst) {
                for number in 0..<burst { bytes += try Payload("On its way", content: Order(order: number)).count }
            }
            try activity.time(burst) {
                for number in 0..<burst {
                    bytes += try PushNotification.liveActivity(
                        .update(Order(order: number), timestamp: Date(timeIntervalSince1970: 1_700_000_000))
                    ).payload.count
                }
            }
            try cut.time(10) {
                for number in 0..<10 { bytes += try Payload(title: "\(number)", body: long).fitted().count }
            }
        }
        guard bytes > 0 else { throw BenchError("nothing was encoded") }
        return [
            "full_ns": full.least, "custom_ns": custom.least, "own_type_ns": own.least, "activity_ns": activity.least,
            "cut_ns": cut.least,
        ]
    }

    /// Every part that an alert usually has, localized.
    private static func aps(_ number: Int) -> APS {
        var aps = APS(
            alert: Alert(
                title: .localized("FLIGHT_%@", "A998"), subtitle: "Reykjavík", body: AlertText("Gate \(number), row 17")
            ),
            badge: number, sound: "gong.aiff", threadID: "flight-A998", category: "FLIGHT")
        aps.mutableContent = true
        aps.interruptionLevel = .timeSensitive
        aps.relevanceScore = 0.75
        aps.targetContentID = "boarding"
        return aps
    }
}
