// swift-tools-version: 6.3
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
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

// A package is resolved only for its trait if every use of it has the condition, in tests and benchmarks too.
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"]))
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"]))

/// A product of the push inbox's HTTP server.
func server(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

/// The push inbox, for what has it with its trait alone.
let inbox = Target.Dependency.target(name: "PushServer", condition: .when(traits: ["Server"]))

/// A program to copy from, which runs against the simulator.
func example(_ name: String, _ others: [Target.Dependency] = [], files: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["PushTesting", "SupervisedPush"] + others, path: "Examples/\(name)",
        exclude: ["README.md"] + files, swiftSettings: strict)
}

/// The tests of one target.
func tests(_ target: String, _ others: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(target)Tests", dependencies: [.byName(name: target)] + others, swiftSettings: strict)
}

let package = Package(
    name: "supervised-push",
    products: [
        .library(name: "SupervisedPush", targets: ["SupervisedPush"]),
        .library(name: "PushSimulator", targets: ["PushSimulator"]),
        .library(name: "PushTesting", targets: ["PushTesting"]),
        .library(name: "PushTestingTraits", targets: ["PushTestingTraits"]),
        .library(name: "PushConfiguration", targets: ["PushConfiguration"]),
        .library(name: "PushCampaign", targets: ["PushCampaign"]),
        .library(name: "PushServer", targets: ["PushServer"]),
        .library(name: "PushServiceLifecycle", targets: ["PushServiceLifecycle"]),
        .library(name: "ProcessRuntime", targets: ["ProcessRuntime"]),
        .library(name: "PushQueue", targets: ["PushQueue"]),
        .library(name: "PushQueueRedis", targets: ["PushQueueRedis"]),
        .library(name: "PushQueueSQLite", targets: ["PushQueueSQLite"]),
        .library(name: "PushQueueTesting", targets: ["PushQueueTesting"]),
        .library(name: "PushQueueServiceLifecycle", targets: ["PushQueueServiceLifecycle"]),
        .executable(name: "pushctl", targets: ["pushctl"]),
    ],
    // The first two are on unless a program says `traits: []`: see docs/support.md.
    //
    // `--traits` replaces the default traits. A trait that is off by default must therefore enable both, so that
    // `swift build --traits Server` still builds everything.
    traits: [
        .default(enabledTraits: ["CommandLine", "Configuration"]),
        .trait(name: "CommandLine", description: "The program pushctl, with swift-argument-parser."),
        .trait(name: "Configuration", description: "The product PushConfiguration, with swift-configuration."),
        .trait(
            name: "Server", description: "The push inbox of PushServer and pushctl, with Hummingbird.",
            enabledTraits: ["CommandLine", "Configuration"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // No pkgConfig: Debian's file has a flag that SwiftPM reports as prohibited. The library is on the standard paths.
        .systemLibrary(name: "CPushHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(
            name: "CPushNghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(
            name: "CPushOpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CPushSystem"),
        .systemLibrary(
            name: "CPushSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),

        .target(name: "PushLocking", swiftSettings: strict),
        .target(name: "ProcessRuntime", dependencies: ["PushLocking", collections], swiftSettings: strict),
        .target(name: "PushHTTP2", dependencies: ["CPushNghttp2"], swiftSettings: strict),
        .target(name: "PushHTTP1", swiftSettings: strict),
        .target(
            name: "PushTransport", dependencies: ["CPushOpenSSL", "CPushSystem", "PushLocking", collections],
            swiftSettings: strict),
        .target(name: "PushProtocol", swiftSettings: strict),
        .target(name: "PushPacing", swiftSettings: strict),
        .target(name: "PushSQLite", dependencies: ["CPushSQLite"], swiftSettings: strict),
        .target(
            name: "SupervisedPush",
            dependencies: [
                "CPushSystem", "ProcessRuntime", "PushHTTP2", "PushLocking", "PushProtocol", "PushTransport",
                collections, heap, logging, metrics, tracing,
            ],
            swiftSettings: strict),
        .target(
            name: "PushServiceLifecycle", dependencies: ["SupervisedPush", lifecycle, signals], swiftSettings: strict),
        .target(
            name: "PushSimulator",
            dependencies: [
                "CPushOpenSSL", "ProcessRuntime", "PushHTTP1", "PushHTTP2", "PushLocking", "PushTransport",
                collections,
            ],
            swiftSettings: strict),
        // What a person should know of a payload before it is pushed.
        .target(name: "PushReview", dependencies: ["PushTerminal", "SupervisedPush"], swiftSettings: strict),
        .target(
            name: "PushCampaign",
            dependencies: [
                "CPushOpenSSL", "PushLocking", "PushProtocol", "PushReview", "PushSQLite", "PushTerminal",
                "SupervisedPush",
            ],
            swiftSettings: strict),
        // Apple's export of metrics: the request, the status, the report.
        .target(
            name: "PushMetricsExport",
            dependencies: ["ProcessRuntime", "PushHTTP1", "PushLocking", "PushProtocol", "PushTransport"],
            swiftSettings: strict),
        // What a person is shown of a request: its line in a log, and commands that repeat it.
        .target(
            name: "PushInspection", dependencies: ["PushSimulator", "PushTerminal", "SupervisedPush"],
            swiftSettings: strict),
        // The metrics of a running pushctl.
        .target(name: "PushPrometheus", dependencies: ["PushLocking", metrics], swiftSettings: strict),
        // Without the trait Server it has no HTTP server: what the inbox keeps, finds and shows needs none.
        .target(
            name: "PushServer",
            dependencies: [
                "ProcessRuntime", "PushLocking", "PushSimulator", "PushInspection", "PushReview", "PushTerminal",
                "PushPrometheus", "PushTransport", "SupervisedPush", collections, logging,
                server("HTTPTypes", "swift-http-types"),
                server("Hummingbird", "hummingbird"),
                server("HummingbirdCore", "hummingbird"),
                server("NIOCore", "swift-nio"), lifecycle,
            ],
            resources: [.embedInCode("API"), .embedInCode("Page")], swiftSettings: strict),
        .target(
            name: "PushTesting",
            dependencies: ["ProcessRuntime", "PushLocking", "PushSimulator", "PushTransport", "SupervisedPush"],
            swiftSettings: strict),
        // Beside PushTesting, so that tests with XCTest link no Swift Testing.
        .target(name: "PushTestingTraits", dependencies: ["PushTesting"], swiftSettings: strict),
        .target(
            name: "PushConfiguration", dependencies: ["SupervisedPush", configuration], swiftSettings: strict),
        .target(
            name: "PushQueue",
            dependencies: ["CPushOpenSSL", "ProcessRuntime", "PushLocking", "PushProtocol", "SupervisedPush", metrics],
            swiftSettings: strict),
        // Links Swift Testing, as PushTestingTraits does.
        .target(
            name: "PushQueueTesting",
            dependencies: ["ProcessRuntime", "PushLocking", "PushProtocol", "PushQueue", "SupervisedPush"],
            swiftSettings: strict),
        .target(
            name: "PushQueueRedis",
            dependencies: [
                "CPushHiredis", "ProcessRuntime", "PushLocking", "PushProtocol", "PushQueue", "PushTransport",
                "SupervisedPush", collections, heap,
            ],
            resources: [.embedInCode("Store/Lua")], swiftSettings: strict),
        .target(
            name: "PushQueueSQLite", dependencies: ["PushLocking", "PushQueue", "PushSQLite", "SupervisedPush"],
            swiftSettings: strict),
        .target(
            name: "PushQueueServiceLifecycle", dependencies: ["PushQueue", "PushServiceLifecycle"],
            swiftSettings: strict),
        .target(
            name: "PushTerminal", dependencies: ["ProcessRuntime", "PushLocking", "PushTransport"],
            swiftSettings: strict),
        .target(
            name: "PushDemo",
            dependencies: ["PushLocking", "PushSimulator", "PushTerminal", "SupervisedPush", arguments],
            swiftSettings: strict),
        // What scripts/demo.sh builds: no queue, no store.
        .executableTarget(
            name: "pushctl-demo", dependencies: ["PushDemo", "PushTerminal", arguments], swiftSettings: strict),
        .executableTarget(
            name: "pushctl",
            dependencies: [
                "CPushOpenSSL", "CPushSystem", "ProcessRuntime", "PushCampaign", "PushDemo", "PushInspection",
                "PushLocking", "PushMetricsExport", "PushPacing", "PushPrometheus", "PushProtocol", "PushReview",
                "PushQueue", "PushQueueRedis", "PushQueueSQLite", "PushSQLite", "PushSimulator", "PushTerminal",
                "PushTransport", "SupervisedPush", arguments, inbox, logging, metrics,
            ],
            swiftSettings: strict),

        example("AnonymousConnections"),
        example(
            "Campaign", ["PushCampaign", "PushConfiguration"], files: ["faults.json", "judge.py", "rehearse.sh"]),
        example("ConnectionPool"),
        example("JobWorker"),
        example("LiveActivity"),
        example("MultiTenant"),
        example("PushByName"),
        example("QueuedPushes", ["PushQueue", "PushQueueSQLite"]),

        .executableTarget(
            name: "Soak", dependencies: ["ProcessRuntime", "PushLocking", "PushSimulator", "SupervisedPush"],
            path: "Benchmarks/Soak", swiftSettings: strict),
        .executableTarget(
            name: "PushBench",
            dependencies: [
                "ProcessRuntime", "PushHTTP2", "PushLocking", "PushPacing", "PushProtocol", "PushQueue",
                "PushQueueRedis",
                "PushQueueSQLite", "PushTransport", "SupervisedPush", arguments, collections,
            ],
            path: "Benchmarks/PushBench", swiftSettings: strict),

        .target(
            name: "HandWrittenFrames", dependencies: ["ProcessRuntime"], path: "Tests/HandWrittenFrames",
            swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: [
                "HandWrittenFrames", "ProcessRuntime", "PushHTTP2", "PushLocking", "PushSimulator", "PushTesting",
                "PushTransport", "SupervisedPush",
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "QueueTestSupport",
            dependencies: ["PushLocking", "PushQueue", "PushQueueRedis", "PushSimulator", "SupervisedPush"],
            path: "Tests/QueueTestSupport", swiftSettings: strict),
        tests("PushLocking"),
        tests("PushPrometheus", [metrics]),
        tests("ProcessRuntime", ["PushLocking"]),
        tests("PushHTTP1"),
        tests(
            "PushMetricsExport",
            ["ProcessRuntime", "PushHTTP1", "PushLocking", "PushSimulator", "PushTransport", "TestSupport"]),
        tests("PushHTTP2", ["CPushNghttp2", "HandWrittenFrames", "ProcessRuntime"]),
        tests("PushTransport", ["CPushOpenSSL", "PushLocking", "TestSupport"]),
        tests(
            "PushQueue",
            [
                "ProcessRuntime", "PushLocking", "PushQueueServiceLifecycle", "PushQueueTesting", "QueueTestSupport",
                "SupervisedPush", "TestSupport", logging, metrics,
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
        tests(
            "PushQueueRedis",
            [
                "ProcessRuntime", "PushLocking", "PushQueue", "PushSimulator", "PushTransport", "PushQueueTesting",
                "QueueTestSupport", "SupervisedPush", "TestSupport",
            ]),
        tests(
            "PushQueueSQLite",
            [
                "ProcessRuntime", "PushLocking", "PushQueue", "PushSQLite", "PushQueueTesting", "QueueTestSupport",
                "SupervisedPush", "TestSupport",
            ]),
        tests("PushProtocol", ["ProcessRuntime"]),
        tests("PushSQLite"),
        tests(
            "SupervisedPush",
            [
                "HandWrittenFrames", "JobWorker", "ProcessRuntime", "PushHTTP2", "PushLocking", "PushProtocol",
                "PushServiceLifecycle", "PushSimulator", "PushTransport", "TestSupport", logging, metrics,
                tracing, .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
        tests(
            "PushCampaign",
            [
                "ProcessRuntime", "PushLocking", "PushReview", "PushSQLite", "PushSimulator", "PushTerminal",
                "PushTesting", "SupervisedPush", "TestSupport",
            ]),
        tests(
            "PushSimulator",
            ["HandWrittenFrames", "ProcessRuntime", "PushHTTP1", "PushHTTP2", "PushLocking", "PushTransport"]),
        // Without the trait Server it tests what needs no HTTP server.
        tests(
            "PushServer",
            [
                "ProcessRuntime", "PushHTTP2", "PushInspection", "PushLocking", "PushSimulator", "SupervisedPush",
                "PushTesting", "TestSupport", server("Hummingbird", "hummingbird"),
                server("HTTPTypes", "swift-http-types"),
            ]),
        tests("PushTesting", ["PushLocking", "PushSimulator", "SupervisedPush", "TestSupport"]),
        tests("PushTestingTraits"),
        tests("PushConfiguration", ["PushLocking", "PushTesting", "TestSupport", configuration]),
        .testTarget(
            name: "PushctlTests",
            dependencies: [
                "PushCampaign", "PushLocking", "PushPacing", "PushQueue", "PushQueueRedis", "PushQueueSQLite",
                "PushDemo", "PushInspection", "PushMetricsExport", "PushReview", "PushTerminal", "PushTransport",
                "QueueTestSupport", "SupervisedPush", "TestSupport", "pushctl", logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FaultMatrixTests",
            dependencies: [
                "ProcessRuntime", "PushLocking", "PushSimulator", "PushTransport", "SupervisedPush", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "QueueFaultTests",
            dependencies: [
                "ProcessRuntime", "PushLocking", "PushProtocol", "PushQueue", "PushQueueRedis", "PushQueueSQLite",
                "PushSimulator", "PushTesting", "QueueTestSupport", "SupervisedPush", "TestSupport", "pushctl",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OracleTests",
            dependencies: ["ProcessRuntime", "PushLocking", "PushSimulator", "SupervisedPush", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["PushLocking", "PushSimulator", "PushTransport", "SupervisedPush", "TestSupport"],
            swiftSettings: strict),
    ]
)

// Documentation is built with a plugin, which packages that depend on this one need not resolve: see scripts/docs.sh.
if Context.environment["SUPERVISED_PUSH_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// The libraries with threads, and their tests: see scripts/tsan.sh.
if Context.environment["SUPERVISED_PUSH_THREADS"] != nil {
    let others: Set = [
        "PushctlTests", "PushCampaignTests", "PushProtocolTests", "PushHTTP1Tests", "PushHTTP2Tests",
        "PushConfigurationTests",
        "PushSQLiteTests",
        "FaultMatrixTests", "QueueFaultTests", "IntegrationTests",
    ]
    package.targets.removeAll { others.contains($0.name) || ($0.type == .executable && $0.name != "JobWorker") }
    package.products.removeAll { $0.name == "pushctl" }
}
