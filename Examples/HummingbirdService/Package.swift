// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "push-service",
    dependencies: [
        .package(name: "supervised-push", path: "../.."),  // in a package of yours: .package(url: …, branch: "main")
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "PushService",
            dependencies: [
                .product(name: "PushServiceLifecycle", package: "supervised-push"),
                .product(name: "SupervisedPush", package: "supervised-push"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "PushServiceTests",
            dependencies: [
                "PushService",
                .product(name: "PushTesting", package: "supervised-push"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
