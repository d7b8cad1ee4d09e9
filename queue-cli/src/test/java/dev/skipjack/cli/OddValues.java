package dev.skipjack.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The allowed but unexpected values of each type, in the form that PostgreSQL reads. */
final class OddValues {

  /** Longer than a key may be, and than a payload of an event. */
  private static final String HUGE = "x".repeat(2_000_000);

  private static final String CONTROLS =
      "\u0001\u001b[31m\u0007\u009b2J\u0085\r\n\t\u2028\u202e\u2066\ufffe'\"\\$(id)`{,}";
  private static final String DEEP = "[".repeat(3_000) + "]".repeat(3_000);

  private static final List<String> TEXTS = List.of("", " ", CONTROLS, "@/etc/hostname", "-h");

  private static final Map<String, List<String>> OF_TYPE =
      Map.ofEntries(
          Map.entry("boolean", List.of("true", "false")),
          Map.entry("smallint", List.of("-32768", "-1", "0", "32767")),
          Map.entry("integer", List.of("-2147483648", "-5", "0", "2147483647")),
          Map.entry("bigint", List.of("-9223372036854775808", "-5", "0", "9223372036854775807")),
          Map.entry(
              "double precision", List.of("NaN", "Infinity", "-Infinity", "0", "1e308", "-1e-300")),
          Map.entry("numeric", List.of("NaN", "0", "-1", "1e1000")),
          Map.entry(
              "timestamp with time zone",
              List.of(
                  "infinity",
                  "-infinity",
                  "4713-01-01 00:00:00+00 BC",
                  "294276-12-31 23:59:59.999999+00",
                  "10000-01-01")),
          Map.entry(
              "interval",
              List.of("0", "178000000 years", "-178000000 years", "1 month -40 days", "-1 us")),
          Map.entry(
              "jsonb",
              List.of(
                  "null",
                  "true",
                  "\"text\"",
                  "1e1000",
                  "[]",
                  "{}",
                  "[null, {}]",
                  DEEP,
                  "{\"\": null, \"concurrency\": {\"odd\": []}, \"version\": {\"a\": 1}, \"lease\": 5}",
                  "{\"skipjack-schedule\": \"x\", \"traceparent\": \"\", \"\": \"\"}",
                  "{\"concurrency\": [1], \"version\": null, \"lease\": \"PT99999999999999H\"}")),
          Map.entry(
              "uuid",
              List.of(
                  "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")),
          Map.entry("bytea", List.of("", "\\x00ff80", "\\x" + "00".repeat(2_000_000))),
          Map.entry(
              "text[]",
              List.of(
                  "{}",
                  "{NULL}",
                  "{a,NULL,b}",
                  "{{a,b},{c,NULL}}",
                  "[5:6]={a,b}",
                  "{\"\"}",
                  "{" + "a,".repeat(100_000) + "a}")),
          Map.entry(
              "integer[]",
              List.of(
                  "{}",
                  "{NULL}",
                  "{-1,2147483647,-2147483648}",
                  "{{1,2},{3,NULL}}",
                  "[5:6]={1,2}",
                  "{" + "1,".repeat(100_000) + "1}")),
          Map.entry(
              "date[]",
              List.of(
                  "{}",
                  "{NULL}",
                  "{infinity,-infinity}",
                  "{4713-01-01 BC}",
                  "{10000-01-01}",
                  "{5874897-12-31}",
                  "{{2026-01-01,2026-01-02}}",
                  "[5:5]={2026-01-01}")));

  private OddValues() {}

  /**
   * Returns the odd values of a type including NULL, in the form that PostgreSQL reads.
   *
   * @param type the name of the type, not of a domain
   * @param huge whether to include those of 2 MB
   */
  static List<@Nullable String> of(String type, boolean huge) {
    List<@Nullable String> values = new ArrayList<>();
    values.add(null);
    if (type.equals("text")) {
      values.addAll(TEXTS);
      if (huge) {
        values.add(HUGE);
      }
      return values;
    }
    List<String> known = OF_TYPE.get(type);
    if (known == null) {
      throw new AssertionError("Add the odd values of the type " + type + " to OddValues.");
    }
    values.addAll(known);
    return values;
  }
}
