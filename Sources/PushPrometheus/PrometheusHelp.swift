/// What the metrics of this package mean. The names are those of the runtime and of workers, and what `pushctl` adds.
package enum PrometheusHelp {
    /// Series that were too many to keep.
    package static let leftOut = "supervised_push_metrics_left_out"

    package static let sentences: [String: String] = [
        // The runtime's.
        "supervised_push_outcomes_total": "Pushes that ended, by outcome and, for rejections, by reason.",
        "supervised_push_events_total": "What happened to a connection and its pushes, by event.",
        "supervised_push_duration_seconds": "How long pushes took to their answer, of one in each burst.",
        "supervised_push_up": "Whether a link is up.",
        "supervised_push_in_flight": "Pushes written and without an outcome.",
        "supervised_push_waiting": "Pushes that wait to be written for the first time.",
        "supervised_push_retrying": "Pushes that wait to be sent again.",
        "supervised_push_stream_limit": "How many streams the link may have open.",
        "supervised_push_open_streams": "Streams that are open on all links.",
        "supervised_push_rtt_seconds": "The round trip of the latest PING.",
        // A worker's.
        "supervised_push_queue_events_total": "What happened to the entries of a worker, by event.",
        "supervised_push_queue_outcomes_total": "Outcomes that the queue has from a worker, by outcome.",
        "supervised_push_queue_failures_total": "Calls to the queue that failed, by code.",
        "supervised_push_queue_taken": "Entries that the worker has taken.",
        "supervised_push_queue_in_flight": "Tokens of them that are in flight.",
        "supervised_push_queue_leased": "Whether the queue acknowledges the worker's heartbeats.",
        // What pushctl adds.
        "supervised_push_build_info": "The version of the program.",
        "supervised_push_links": "Connections of a name, by phase.",
        "supervised_push_token_age_seconds": "The age of the provider token.",
        "supervised_push_certificate_days_left": "Days until the certificate expires.",
        "supervised_push_queue_waiting": "Entries that wait in the queue.",
        "supervised_push_queue_urgent": "Entries that wait in the urgent lane.",
        "supervised_push_queue_delayed": "Entries that wait for their time.",
        "supervised_push_queue_dead": "Dead letters.",
        "supervised_push_queue_oldest_seconds": "How long the oldest waiting entry has been in the queue.",
        "supervised_push_queue_workers": "Workers that the queue knows.",
        "supervised_push_ready": "Whether the queue is worked on: 0 while it is not well.",
        // A simulator's.
        "push_simulator_pushes_total": "Pushes that were answered, by whether they were accepted.",
        "push_simulator_connections_total": "Connections that providers have made.",
        "push_simulator_open_connections": "Connections that are open.",
        leftOut: "Series that were too many to be kept.",
    ]
}
