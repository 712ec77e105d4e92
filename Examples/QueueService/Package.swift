// swift-tools-version: 6.3
import PackageDescription

let queue = Target.Dependency.product(name: "PushQueue", package: "supervised-push")

let package = Package(
    name: "queue-service",
    dependencies: [
        .package(name: "supervised-push", path: "../.."),  // in a package of yours: .package(url: …, branch: "main")
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(
            name: "OrdersQueue",
            dependencies: [
                queue,
                .product(name: "PushQueueRedis", package: "supervised-push"),
                .product(name: "PushQueueSQLite", package: "supervised-push"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "QueueService",
            dependencies: [
                "OrdersQueue", queue,
                .product(name: "SupervisedPush", package: "supervised-push"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "QueueWorker",
            dependencies: [
                "OrdersQueue", queue,
                .product(name: "SupervisedPush", package: "supervised-push"),
                .product(name: "PushQueueServiceLifecycle", package: "supervised-push"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "QueueServiceTests",
            dependencies: [
                "QueueService", queue,
                .product(name: "PushQueueSQLite", package: "supervised-push"),
                .product(name: "PushTesting", package: "supervised-push"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
