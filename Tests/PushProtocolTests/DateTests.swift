import Foundation
import PushProtocol
import Testing

/// Times are dates in calls and answers, and the numbers that APNs knows on the wire.
@Suite struct DateTests {
    @Test(
        arguments: [
            (1.9, 1), (1, 1), (0, 0), (-0.1, -1), (-1, -1), (1_700_000_000.999, 1_700_000_000), (.infinity, .max),
            (-.infinity, .min), (.nan, 0), (1e300, .max), (9.3e18, .max),
        ] as [(Double, Int64)])
    func secondsAreRoundedDown(time: Double, seconds: Int64) {
        #expect(Date(timeIntervalSince1970: time).unixSeconds == seconds)
    }

    @Test(arguments: [0, 1, -1, 1_700_000_000_123, 1_767_225_600_001, -62_135_769_600_000, 253_402_300_799_999])
    func millisecondsComeBackExactly(milliseconds: Int64) {
        #expect(Date(unixMilliseconds: milliseconds).unixMilliseconds == milliseconds)
    }

    @Test func anExpirationIsADateOrANumber() {
        let expiration = Expiration.at(Date(timeIntervalSince1970: 1_900_000_000.9))
        #expect(expiration == Expiration(unixSeconds: 1_900_000_000))
        #expect(expiration.waitingEndsAt == Date(timeIntervalSince1970: 1_900_000_000))
        #expect(Expiration(unixSeconds: .max).unixSeconds == .max, "no number is lost in a date")
        #expect("\(expiration)" == "at 2030-03-17T17:46:40Z")
        #expect("\(Expiration.byServer), \(Expiration.immediately)" == "by server, immediately")
        #expect("\(Expiration(unixSeconds: .max)) \(Expiration(unixSeconds: .min))".contains("\(Int64.max) s"))
    }

    @Test func theTimesOfAnActivityAreWholeSeconds() throws {
        let time = Date(timeIntervalSince1970: 1_700_000_000.9)
        let update = try PushNotification.liveActivity(
            .update(["a": 1], timestamp: time, staleDate: time + 600))
        #expect(
            String(decoding: update.payload.bytes, as: UTF8.self)
                == #"{"aps":{"timestamp":1700000000,"event":"update","content-state":{"a":1},"stale-date":1700000600}}"#
        )
    }

    @Test func anActivityIsMadeNowUnlessItSaysOtherwise() throws {
        let before = Date.now
        let times = [
            try LiveActivity.start("A", attributes: ["a": 1], contentState: ["a": 1]).timestamp,
            try LiveActivity.update(["a": 1]).timestamp, try LiveActivity.end(["a": 1]).timestamp,
            LiveActivity.end().timestamp, LiveActivity(event: .update).timestamp,
        ]
        #expect(times.allSatisfy { (before...Date.now).contains($0) })
    }

    @Test func aHostileTimeDoesNoHarm() throws {
        for time in ["9223372036854775807", "253402300800000", "1"] {
            let answer = PushResponse(status: 410, body: Array(#"{"reason":"Unregistered","timestamp":\#(time)}"#.utf8))
            #expect(answer.timestampMilliseconds.map { "\($0)" } == time)
            let event = try #require(
                FeedbackEvent.from(
                    answer, connectionName: nil, deviceToken: try DeviceToken("beef"), callerID: nil, sentID: nil,
                    answeredAt: 1))
            #expect("\(event)".hasPrefix("Unregistered: "))
            #expect(event.invalidatedAtMilliseconds == answer.timestampMilliseconds)
        }
    }

    @Test func textsAreTakenFromVariables() throws {
        let (topic, title) = ("com.example.app", "Flight A998")
        let missing: String? = nil
        #expect(RequestDefaults(topic: topic) == RequestDefaults(topic: "com.example.app"))
        #expect(RequestDefaults(topic: topic, priority: .low) == RequestDefaults(topic: Topic(topic), priority: .low))
        #expect(RequestDefaults(topic: missing) == RequestDefaults() && RequestDefaults(topic: nil).topic == nil)
        #expect(
            Alert(title: title, body: "Boarding \(title)") == Alert(title: "Flight A998", body: "Boarding Flight A998"))
        #expect(Alert() == Alert(title: nil))
        let collapsed = try PushNotification.alert(title: title).collapsing(title)
        #expect(collapsed.collapseID?.text == title)
        #expect(throws: InvalidPush.self) { try PushNotification.alert(title: title).collapsing(" ") }
    }
}
