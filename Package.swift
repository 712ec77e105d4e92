// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: the Swift 6 language mode and the stricter import and existential rules.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "supervised-push",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SupervisedPush", targets: ["SupervisedPush"]),
        .library(name: "PushSimulator", targets: ["PushSimulator"]),
        .library(name: "ProcessRuntime", targets: ["ProcessRuntime"]),
        .executable(name: "pushctl", targets: ["pushctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CPushNghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(
            name: "CPushOpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

        .target(name: "Locking", swiftSettings: strict),
        .target(name: "ProcessRuntime", dependencies: ["Locking", collections], swiftSettings: strict),
        .target(name: "HTTP2Session", dependencies: ["CPushNghttp2"], swiftSettings: strict),
        .target(name: "WireTransport", dependencies: ["CPushOpenSSL", "Locking", collections], swiftSettings: strict),
        .target(name: "PushProtocol", swiftSettings: strict),
        .target(
            name: "SupervisedPush",
            dependencies: [
                "HTTP2Session", "Locking", "ProcessRuntime", "PushProtocol", "WireTransport",
                collections, heap, lifecycle, logging, metrics,
            ],
            swiftSettings: strict),
        .target(
            name: "PushSimulator",
            dependencies: [
                "CPushOpenSSL", "HTTP2Session", "Locking", "ProcessRuntime", "WireTransport", collections,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "pushctl",
            dependencies: ["PushSimulator", "SupervisedPush", "WireTransport", "Locking", arguments, logging],
            swiftSettings: strict),

        .executableTarget(
            name: "PushByName", dependencies: ["PushSimulator", "SupervisedPush"], path: "Examples/PushByName",
            swiftSettings: strict),
        .executableTarget(
            name: "AnonymousConnections", dependencies: ["PushSimulator", "SupervisedPush"],
            path: "Examples/AnonymousConnections",
            swiftSettings: strict),
        .executableTarget(
            name: "Campaign", dependencies: ["PushSimulator", "SupervisedPush"], path: "Examples/Campaign",
            swiftSettings: strict),

        .executableTarget(
            name: "Soak", dependencies: ["Locking", "PushSimulator", "SupervisedPush"], path: "Benchmarks/Soak",
            swiftSettings: strict),
        .executableTarget(
            name: "PushBench",
            dependencies: [
                "HTTP2Session", "Locking", "ProcessRuntime", "PushProtocol", "SupervisedPush", "WireTransport",
                arguments, collections,
            ],
            path: "Benchmarks/PushBench", swiftSettings: strict),

        .executableTarget(
            name: "ConnectionPool", dependencies: ["PushSimulator", "SupervisedPush"], path: "Examples/ConnectionPool",
            swiftSettings: strict),

        .target(name: "HandWrittenFrames", path: "Tests/HandWrittenFrames", swiftSettings: strict),
        .executableTarget(
            name: "JobWorker", dependencies: ["PushSimulator", "SupervisedPush"], path: "Examples/JobWorker",
            swiftSettings: strict),

        .target(
            name: "TestSupport",
            dependencies: [
                "HTTP2Session", "HandWrittenFrames", "Locking", "ProcessRuntime", "PushSimulator", "SupervisedPush",
                "WireTransport",
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "LockingTests", dependencies: ["Locking"], swiftSettings: strict),
        .testTarget(name: "ProcessRuntimeTests", dependencies: ["Locking", "ProcessRuntime"], swiftSettings: strict),
        .testTarget(
            name: "HTTP2SessionTests", dependencies: ["HTTP2Session", "HandWrittenFrames"], swiftSettings: strict),
        .testTarget(
            name: "WireTransportTests", dependencies: ["CPushOpenSSL", "Locking", "WireTransport"],
            swiftSettings: strict),
        .testTarget(name: "PushProtocolTests", dependencies: ["PushProtocol"], swiftSettings: strict),
        .testTarget(
            name: "SupervisedPushTests",
            dependencies: [
                "HTTP2Session", "HandWrittenFrames", "JobWorker", "Locking", "PushProtocol", "PushSimulator",
                "SupervisedPush", "TestSupport", "WireTransport", lifecycle, logging, metrics,
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PushSimulatorTests",
            dependencies: ["HTTP2Session", "Locking", "ProcessRuntime", "PushSimulator", "WireTransport"],
            swiftSettings: strict),
        .testTarget(
            name: "PushctlTests", dependencies: ["pushctl", "Locking", "SupervisedPush", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "FaultMatrixTests",
            dependencies: ["Locking", "PushSimulator", "SupervisedPush", "TestSupport", "WireTransport"],
            swiftSettings: strict),
        .testTarget(
            name: "OracleTests", dependencies: ["Locking", "PushSimulator", "SupervisedPush", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["Locking", "PushSimulator", "SupervisedPush", "TestSupport", "WireTransport"],
            swiftSettings: strict),
    ]
)
