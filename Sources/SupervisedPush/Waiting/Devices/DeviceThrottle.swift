import ProcessRuntime

/// The devices about which APNs said TooManyRequests (429), and when each may be pushed to again: after 1 s, doubling
/// to 60 s with each further 429. A device is forgotten when APNs accepts its next push. The 10,000 devices refused
/// last are remembered.
struct DeviceThrottle {
    static let limit = 10_000
    static let first = Duration.seconds(1)
    static let longest = Duration.seconds(60)

    private struct Device {
        var recipient: Recipient
        var pause = DeviceThrottle.first
        var opensAt: MonotonicInstant
        var older: Int32 = -1
        var newer: Int32 = -1
    }

    private var places: [Recipient: Int32] = [:]
    private var devices: ContiguousArray<Device> = []
    private var free: ContiguousArray<Int32> = []
    private var oldest: Int32 = -1
    private var newest: Int32 = -1
    private let limit: Int

    init(limit: Int = DeviceThrottle.limit) { self.limit = max(1, limit) }

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    /// When the device may be pushed to again; nil if it is not throttled.
    func opening(of recipient: Recipient) -> MonotonicInstant? {
        guard !places.isEmpty, let place = places[recipient] else { return nil }
        return devices[Int(place)].opensAt
    }

    /// APNs said TooManyRequests, with `Retry-After` until `end`. Answers to pushes written before the last refusal add
    /// nothing.
    mutating func refused(_ recipient: Recipient, _ now: MonotonicInstant, until end: MonotonicInstant? = nil) {
        pause(recipient, now)
        guard let end, let place = places[recipient] else { return }
        devices[Int(place)].opensAt = max(devices[Int(place)].opensAt, end)
    }

    private mutating func pause(_ recipient: Recipient, _ now: MonotonicInstant) {
        guard let place = places[recipient] else { return insert(recipient, now) }
        unlink(place)
        link(place)
        let index = Int(place)
        guard devices[index].opensAt <= now else { return }
        devices[index].pause = min(devices[index].pause * 2, Self.longest)
        devices[index].opensAt = now.advanced(by: devices[index].pause)
    }

    /// APNs accepted a push to the device.
    mutating func forget(_ recipient: Recipient) {
        guard !places.isEmpty, let place = places.removeValue(forKey: recipient) else { return }
        unlink(place)
        free.append(place)
    }

    private mutating func insert(_ recipient: Recipient, _ now: MonotonicInstant) {
        if places.count >= limit, oldest >= 0 { forget(devices[Int(oldest)].recipient) }
        let device = Device(recipient: recipient, opensAt: now.advanced(by: Self.first))
        let place: Int32
        if let reused = free.popLast() {
            place = reused
            devices[Int(place)] = device
        } else {
            place = Int32(devices.count)
            devices.append(device)
        }
        places[recipient] = place
        link(place)
    }

    // MARK: The list, oldest refusal first

    private mutating func link(_ place: Int32) {
        devices[Int(place)].older = newest
        devices[Int(place)].newer = -1
        if newest >= 0 { devices[Int(newest)].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int32) {
        let (older, newer) = (devices[Int(place)].older, devices[Int(place)].newer)
        if older >= 0 { devices[Int(older)].newer = newer } else { oldest = newer }
        if newer >= 0 { devices[Int(newer)].older = older } else { newest = older }
    }
}
