import Foundation
import PushProtocol
import Testing

@Suite("parity: P1, R8 – a push of every kind") struct PushKindTests {
    private struct Call: Codable {
        var uuid = "6F9619FF"
        var handle = "Ann"
    }

    private let defaults = RequestDefaults(topic: "com.example.app")

    private func expect(
        _ push: PushNotification, _ type: PushType, _ json: String, topic: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let read = try JSONSerialization.jsonObject(with: Data(push.payload.bytes)) as? NSDictionary
        let sample = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary
        #expect(read == sample, sourceLocation: location)
        let head = HeadTemplate(push, defaults: defaults)
        #expect(head.pushType == type, sourceLocation: location)
        #expect(head.topic?.rawValue == topic, sourceLocation: location)
        try push.validate(defaults: defaults)
    }

    @Test func alert() throws {
        try expect(.alert("Boarding"), .alert, #"{"aps":{"alert":"Boarding"}}"#, topic: "com.example.app")
        try expect(
            .alert(APS(alert: "Boarding", badge: 0), content: Call()), .alert,
            #"{"aps":{"alert":"Boarding","badge":0},"uuid":"6F9619FF","handle":"Ann"}"#, topic: "com.example.app")
        try expect(
            .alert(APS(alert: "Boarding"), content: ["a": [1, nil]]), .alert,
            #"{"aps":{"alert":"Boarding"},"a":[1,null]}"#,
            topic: "com.example.app")
    }

    @Test func background() throws {
        let aps = #""aps":{"content-available":1}"#
        try expect(.background(), .background, "{\(aps)}", topic: "com.example.app")
        try expect(
            .background(content: Call()), .background, #"{\#(aps),"uuid":"6F9619FF","handle":"Ann"}"#,
            topic: "com.example.app")
        #expect(HeadTemplate(.background(), defaults: defaults).priority == .conserving)
    }

    @Test func call() throws {
        try expect(.voip(Call()), .voip, #"{"uuid":"6F9619FF","handle":"Ann"}"#, topic: "com.example.app.voip")
        #expect(HeadTemplate(try .voip(Call()), defaults: defaults).expiration == .immediately)
        try PushNotification.voip(["a": String(repeating: "a", count: 5112)]).validate(defaults: defaults)
        #expect(throws: InvalidPush.self) {
            try PushNotification.voip(["a": String(repeating: "a", count: 5113)]).validate(defaults: defaults)
        }
    }

    @Test func pushToTalk() throws {
        try expect(
            .pushToTalk(["speaker": "Ann"]), .pushToTalk, #"{"aps":{},"speaker":"Ann"}"#,
            topic: "com.example.app.voip-ptt")
    }

    @Test("parity: S1 – an accessory's answer") func accessory() throws {
        let answer = PushNotification.accessory(
            encryptedData: [0xfb, 0xff, 0xfe], sessionIdentifier: "6F9619FF", keyID: Array("key".utf8),
            messageIndex: .max)
        try expect(
            answer, .accessory,
            #"{"aps":{"encryptedData":"+//+","sessionIdentifier":"6F9619FF","keyID":"a2V5","messageIndex":"18446744073709551615"}}"#,
            topic: "com.example.app.push-type.accessory")
        for (spoiled, key) in [
            (
                PushNotification.accessory(encryptedData: [], sessionIdentifier: "s", keyID: [1], messageIndex: 0),
                "encryptedData"
            ),
            (.accessory(encryptedData: [1], sessionIdentifier: "", keyID: [1], messageIndex: 0), "sessionIdentifier"),
            (.accessory(encryptedData: [1], sessionIdentifier: "s", keyID: [], messageIndex: 0), "keyID"),
        ] {
            let error = #expect(throws: InvalidPush.self) { try spoiled.validate(defaults: defaults) }
            #expect(error?.key == key)
        }
    }

    @Test func complication() throws {
        try expect(.complication(["goals": 2]), .complication, #"{"goals":2}"#, topic: "com.example.app.complication")
    }

    @Test func fileProvider() throws {
        let topic = "com.example.app.pushkit.fileprovider"
        try expect(
            .fileProvider(containerIdentifier: "folder", domain: "work"), .fileProvider,
            #"{"container-identifier":"folder","domain":"work"}"#, topic: topic)
        try expect(
            .fileProvider(), .fileProvider,
            #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier"}"#, topic: topic)
    }

    @Test func location() throws {
        try expect(.location(), .location, #"{"aps":{}}"#, topic: "com.example.app.location-query")
    }

    @Test func widgetsAndControls() throws {
        let json = #"{"aps":{"content-changed":true}}"#
        try expect(.widgets(), .widgets, json, topic: "com.example.app.push-type.widgets")
        try expect(.controls(), .controls, json, topic: "com.example.app.push-type.controls")
    }

    @Test("parity: R10 – MDM: the push magic alone, and a device token in base64")
    func mdm() throws {
        try expect(.mdm(pushMagic: "A\"B"), .mdm, #"{"mdm":"A\"B"}"#, topic: "com.example.app")
        let token = try DeviceToken(base64: "obLD1OX2Bxgp\nOktcbX6PkKGyw9Tl9gcYKTpLXG1+j5A=\n\t")
        #expect(token.hex == "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90")
        #expect(throws: InvalidDeviceToken.self) { try DeviceToken(base64: "obLD!") }
        #expect(throws: InvalidDeviceToken.self) { try DeviceToken(base64: "") }
        #expect(throws: InvalidDeviceToken.self) { try DeviceToken(base64: "obLD1") }
    }

    @Test("parity: R11 – Safari: title, body, action, url-args")
    func safari() throws {
        try expect(
            .safari(title: "Flight", body: "Boarding", action: "View", urlArguments: ["A998"]), .alert,
            #"{"aps":{"alert":{"title":"Flight","body":"Boarding","action":"View"},"url-args":["A998"]}}"#,
            topic: "com.example.app")
        try expect(
            .safari(title: "t", body: "b", urlArguments: []), .alert,
            #"{"aps":{"alert":{"title":"t","body":"b"},"url-args":[]}}"#, topic: "com.example.app")
    }

    @Test func wallet() throws { try expect(.wallet(), .alert, "{}", topic: "com.example.app") }

    @Test("parity: G8 – content with a member named aps is an error")
    func ownContentNamedAPS() throws {
        #expect(throws: InvalidPush(.customKeyReserved)) { try PushNotification.alert("a", content: ["aps": 1]) }
        #expect(throws: InvalidPush(.contentNotObject)) { try PushNotification.alert("a", content: [1, 2]) }
        #expect(throws: InvalidPush(.contentNotObject)) { try PushNotification.voip("text") }
        try expect(
            .alert("a", content: [String: Int]()), .alert, #"{"aps":{"alert":"a"}}"#, topic: "com.example.app")
    }

    @Test("numbers of own content keep every digit")
    func digits() throws {
        let push = try PushNotification.alert("a", content: ["big": UInt64.max])
        #expect(String(decoding: push.payload.bytes, as: UTF8.self).contains("18446744073709551615"))
    }
}
