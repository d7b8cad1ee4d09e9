package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.testkit.QueueDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run of the demo, with its report as JSON.
 *
 * @param verified the result of the demo
 * @param json the report
 * @param err the output on standard error
 */
record DemoResult(boolean verified, JsonNode json, String err) {

  static DemoOptions options(QueueDatabase database, @Nullable Path input, @Nullable Long jobs) {
    return new DemoOptions(input, jobs, false, target(database));
  }

  private static DemoOptions.Database target(QueueDatabase database) {
    return new DemoOptions.Database(database.jdbcUrl(), "the test's database");
  }

  static DemoResult of(QueueDatabase database, long jobs) throws Exception {
    return of(options(database, null, jobs), "demo-test");
  }

  static DemoResult resumed(QueueDatabase database) throws Exception {
    return of(new DemoOptions(null, null, true, target(database)), "demo-test");
  }

  static DemoResult of(DemoOptions options, String server) throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    DemoOutput output = new DemoOutput(new PrintWriter(out), new PrintWriter(err), true);
    boolean verified = Demo.run(options, output, server);
    assertThat(out.toString()).hasLineCount(1);
    return new DemoResult(verified, new JsonMapper().readTree(out.toString()), err.toString());
  }

  long number(String field) {
    return json.get(field).longValue();
  }

  /** Asserts what must hold after every run that was not interrupted. */
  void assertVerified(long enqueued) {
    assertThat(err).doesNotContain("Exception");
    assertThat(verified).as(json.toPrettyString()).isTrue();
    assertThat(json.get("verified").booleanValue()).isTrue();
    assertThat(number("enqueued")).isEqualTo(enqueued);
    assertThat(number("completed") + number("dead")).isEqualTo(enqueued);
  }

  /** Returns the names of the checks that failed. */
  List<String> failed() {
    return StreamSupport.stream(json.get("checks").spliterator(), false)
        .filter(check -> !check.get("ok").booleanValue())
        .map(check -> check.get("name").textValue())
        .toList();
  }
}
