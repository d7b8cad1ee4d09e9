package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.testkit.QueueDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a run of the demo, with its report as JSON.
 *
 * @param result the result of the run
 * @param json the report
 * @param err the output on standard error
 */
record Report(DemoResult result, JsonNode json, String err) {

  /** Returns options for a run on the test's database. */
  static DemoOptions.Builder on(QueueDatabase database) {
    return DemoOptions.builder()
        .database(new DemoTarget(database.jdbcUrl(), "the test's database", ""));
  }

  static Report of(DemoOptions.Builder options)
      throws JsonProcessingException, SQLException, InterruptedException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    DemoResult result =
        Demo.run(
            options.build(),
            new DemoOutput(new PrintWriter(out), new PrintWriter(err), true, false));
    return new Report(result, new JsonMapper().readTree(lastLine(out.toString())), err.toString());
  }

  private static String lastLine(String out) {
    String[] lines = out.stripTrailing().split("\n", -1);
    return lines[lines.length - 1];
  }

  long number(String field) {
    return json.get(field).longValue();
  }

  /** Asserts what must hold after every run that was not interrupted. */
  void assertVerified(long enqueued) {
    assertThat(err).doesNotContain("Exception");
    assertThat(json.get("verified").booleanValue()).as(json.toPrettyString()).isTrue();
    assertThat(number("enqueued")).isEqualTo(enqueued);
    assertThat(number("completed") + number("dead")).isEqualTo(enqueued);
  }

  /** Returns the names of the checks that failed. */
  List<String> failed() {
    List<String> failed = new ArrayList<>();
    for (JsonNode check : json.get("checks")) {
      if (!check.get("ok").booleanValue()) {
        failed.add(check.get("name").textValue());
      }
    }
    return failed;
  }
}
