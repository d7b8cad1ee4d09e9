package dev.skipjack.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.cli.Program;
import java.util.ArrayList;
import java.util.List;

/**
 * The demo run to its end in this JVM with {@code --json}.
 *
 * @param program how it ended
 * @param json its last line
 */
record Report(Program program, JsonNode json) {

  static Report of(String... arguments) throws JsonProcessingException {
    List<String> all = new ArrayList<>(List.of("demo", "--json"));
    all.addAll(List.of(arguments));
    Program program = Program.run(all.toArray(String[]::new));
    return new Report(program, new JsonMapper().readTree(lastLine(program.out())));
  }

  static String lastLine(String out) {
    String[] lines = out.stripTrailing().split("\n", -1);
    return lines[lines.length - 1];
  }

  long number(String field) {
    return json.get(field).longValue();
  }

  /** What must hold whenever a run was not cut short. */
  void assertVerified(long enqueued) {
    assertThat(program.err()).doesNotContain("Exception");
    assertThat(json.get("verified").booleanValue()).as(json.toPrettyString()).isTrue();
    assertThat(number("enqueued")).isEqualTo(enqueued);
    assertThat(number("completed") + number("dead")).isEqualTo(enqueued);
  }

  /** The checks that do not hold. */
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
