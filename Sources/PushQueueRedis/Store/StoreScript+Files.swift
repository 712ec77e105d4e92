extension StoreScript {
    static let adopt = Self(PackageResources.adopt_lua)
    static let beat = Self(PackageResources.beat_lua)
    static let campaign = Self(PackageResources.campaign_lua)
    static let campaignPlaces = Self(PackageResources.campaign_places_lua)
    static let campaigns = Self(PackageResources.campaigns_lua)
    static let cancel = Self(PackageResources.cancel_lua)
    static let deadLetters = Self(PackageResources.dead_letters_lua)
    static let discard = Self(PackageResources.discard_lua)
    static let enqueue = Self(PackageResources.enqueue_lua)
    static let find = Self(PackageResources.find_lua)
    static let group = Self(PackageResources.group_lua)
    static let handBack = Self(PackageResources.hand_back_lua)
    static let heldEntries = Self(PackageResources.held_entries_lua)
    static let heldKeys = Self(PackageResources.held_keys_lua)
    static let holds = Self(PackageResources.holds_lua)
    static let keepCampaign = Self(PackageResources.keep_campaign_lua)
    static let knowsCall = Self(PackageResources.knows_call_lua)
    static let lastPosition = Self(PackageResources.last_position_lua)
    static let leave = Self(PackageResources.leave_lua)
    static let limitOutcomes = Self(PackageResources.limit_outcomes_lua)
    static let note = Self(PackageResources.note_lua)
    static let offer = Self(PackageResources.offer_lua)
    static let outcomes = Self(PackageResources.outcomes_lua)
    static let permit = Self(PackageResources.permit_lua)
    static let reclaim = Self(PackageResources.reclaim_lua)
    static let release = Self(PackageResources.release_lua)
    static let requeue = Self(PackageResources.requeue_lua)
    static let rights = Self(PackageResources.rights_lua)
    static let settle = Self(PackageResources.settle_lua)
    static let status = Self(PackageResources.status_lua)
    static let steer = Self(PackageResources.steer_lua)
    static let steering = Self(PackageResources.steering_lua)
    static let take = Self(PackageResources.take_lua)
    static let tip = Self(PackageResources.tip_lua)
    static let trim = Self(PackageResources.trim_lua)
    static let unpark = Self(PackageResources.unpark_lua)

    /// The parts that scripts can use, by their names.
    static let allParts: [String: [UInt8]] = [
        "append": PackageResources.part_append_lua,
        "bits": PackageResources.part_bits_lua,
        "check_types": PackageResources.part_check_types_lua,
        "clock": PackageResources.part_clock_lua,
        "cursor": PackageResources.part_cursor_lua,
        "delay": PackageResources.part_delay_lua,
        "fields": PackageResources.part_fields_lua,
        "gate": PackageResources.part_gate_lua,
        "found": PackageResources.part_found_lua,
        "ids": PackageResources.part_ids_lua,
        "keys": PackageResources.part_keys_lua,
        "lane": PackageResources.part_lane_lua,
        "letters": PackageResources.part_letters_lua,
        "move_due": PackageResources.part_move_due_lua,
        "need_group": PackageResources.part_need_group_lua,
        "pace": PackageResources.part_pace_lua,
        "progress": PackageResources.part_progress_lua,
        "rate": PackageResources.part_rate_lua,
        "rows": PackageResources.part_rows_lua,
        "sizes": PackageResources.part_sizes_lua,
        "unpark": PackageResources.part_unpark_lua,
        "walk": PackageResources.part_walk_lua,
    ]

    /// What a worker runs. Other programs may have a user with fewer rights.
    static let ofWorkers = [
        group, take, permit, offer, settle, release, handBack, beat, tip, heldKeys, heldEntries, reclaim, adopt, leave,
        note, limitOutcomes, steering, holds,
    ]

    /// The commands in these scripts.
    static let commandsOfWorkers =
        ["TIME", "XGROUP CREATE KEY", "XGROUP DELCONSUMER KEY", "XINFO GROUPS KEY", "XINFO STREAM KEY"]
        + ["XREADGROUP GROUP g w STREAMS KEY >"]
        + [
            "EXISTS", "EXPIRE", "HDEL", "HGET", "HGETALL", "HINCRBY", "HLEN", "HSET", "HSETNX", "XACK", "XADD",
            "XCLAIM", "XDEL", "XLEN", "XPENDING", "XRANGE", "XREVRANGE", "XSETID", "XTRIM", "ZADD", "ZCARD", "ZRANGE",
            "ZRANGEBYSCORE", "ZREM",
        ].map { "\($0) KEY" }
}
