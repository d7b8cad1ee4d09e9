package dev.skipjack.torture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Odd rows of the outbox, in the columns that the role of producers may write. Their aggregates
 * have a type of their own, but share the shards with all others.
 */
final class OddEvents {

  /** The type of the aggregates of odd events. */
  static final String AGGREGATE_TYPE = "odd";

  private OddEvents() {}

  static OddRows.Source source() {
    Map<String, String> usual = new LinkedHashMap<>();
    usual.put("event_id", "gen_random_uuid()");
    usual.put("shard", "floor(random() * 32)::smallint");
    usual.put("aggregate_type", "'" + AGGREGATE_TYPE + "'");
    usual.put("aggregate_id", "floor(random() * 1000)::text");
    usual.put("event_type", "'changed'");
    usual.put("content_type", "'text/plain'");
    usual.put("headers", "'{}'");
    usual.put("traceparent", "NULL");
    usual.put("payload", "'odd'");
    Map<String, List<String>> odd = new LinkedHashMap<>();
    odd.put(
        "event_id",
        List.of(
            "'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"));
    odd.put("shard", List.of("0", "31", "32", "-1", "NULL"));
    odd.put(
        "aggregate_id",
        List.of("''", "chr(1)", "E'\\u202E'", "repeat('x', 512)", "repeat('x', 513)", "'../..'"));
    odd.put("event_type", List.of("''", "repeat('e', 200)", "'a b'"));
    odd.put(
        "content_type",
        List.of(
            "''",
            "' '",
            "'x'",
            "'é'",
            "repeat('c', 200)",
            "repeat('c', 1000000)",
            "E'text/plain\\r\\nx: y'"));
    odd.put(
        "headers",
        List.of(
            "'null'",
            "'[]'",
            "'{\"\": \"\"}'",
            "'{\"a\": 1}'",
            "'{\"a\": null}'",
            "'{\"a b\": \"x\"}'",
            "'{\"host\": \"x\"}'",
            "'{\"a\": \"\\u0007\"}'",
            "jsonb_build_object('a', repeat('x', 1000000))",
            "(SELECT jsonb_object_agg('h' || n, 'v') FROM generate_series(1, 10000) AS n)"));
    odd.put("traceparent", List.of("''", "'x'", "E'a\\nb'", "repeat('t', 1000000)"));
    odd.put(
        "payload",
        List.of(
            "''",
            "'\\x00ff'",
            "decode(repeat('00', 1048576), 'hex')",
            "decode(repeat('00', 1048577), 'hex')",
            "decode(repeat('00', 60000000), 'hex')"));
    return new OddRows.Source("@outbox_events", usual, odd, "");
  }
}
