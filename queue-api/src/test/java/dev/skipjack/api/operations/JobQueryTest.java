package dev.skipjack.api.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobStatus;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobQueryTest {

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 501, Integer.MAX_VALUE})
  void refusesLimitsOutOfRange(int limit) {
    assertThatThrownBy(() -> JobQuery.live().limit(limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1..500");
  }

  @Test
  void statusesThatTheOrderDoesNotListAreRefused() {
    assertThatThrownBy(() -> JobQuery.live().status(JobStatus.COMPLETED))
        .hasMessageContaining("JobQuery.archived()");
    assertThatThrownBy(() -> JobQuery.archived().status(JobStatus.DEAD))
        .hasMessageContaining("JobQuery.live()");
    assertThatThrownBy(() -> JobQuery.pending("q").status(JobStatus.DEAD))
        .hasMessageContaining("JobQuery.pending(queue)");
  }

  @Test
  void queryKeepsEarlierFilters() {
    PageToken token = new PageToken("abc");

    assertThat(
            JobQuery.archived()
                .queue("q")
                .kind("k")
                .status(JobStatus.CANCELLED)
                .group("g")
                .tag("t")
                .error("timeout")
                .errorGroup("Order * timed out")
                .since(Instant.EPOCH)
                .payload("user.id", "42")
                .limit(7)
                .after(token))
        .isEqualTo(
            new JobQuery(
                JobOrder.FINISHED,
                "q",
                "k",
                JobStatus.CANCELLED,
                "g",
                "t",
                "timeout",
                null,
                "Order * timed out",
                Instant.EPOCH,
                new JobQuery.PayloadField(List.of("user", "id"), "42"),
                7,
                token));
  }

  @Test
  void theArchiveHasNoErrorClass() {
    assertThat(JobQuery.live().errorClass("x.Broken").errorClass()).isEqualTo("x.Broken");
    assertThatThrownBy(() -> JobQuery.archived().errorClass("x.Broken"))
        .hasMessageContaining("'x.Broken'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000b", "\ud800"})
  void refusesTextsThatTheDatabaseCannotStore(String text) {
    assertThatThrownBy(() -> JobQuery.live().error(text)).hasMessageStartingWith("Error '");
    assertThatThrownBy(() -> JobQuery.live().payload(text, "1")).hasMessageStartingWith("Field '");
    assertThatThrownBy(() -> JobQuery.live().payload("f", text)).hasMessageStartingWith("Value '");
    assertThatThrownBy(() -> new JobQuery.PayloadField(List.of(), "1"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000b", "Emails", "", "\ud800"})
  void refusesNamesThatNoJobCanHave(String name) {
    assertThatThrownBy(() -> JobQuery.live().queue(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Queue name");
    assertThatThrownBy(() -> JobQuery.pending(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Queue name");
    assertThatThrownBy(() -> JobQuery.live().kind(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Kind name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000b", "\ud800"})
  void refusesTagsThatTheDatabaseCannotStore(String tag) {
    assertThatThrownBy(() -> JobQuery.live().tag(tag))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("U+0000");
    assertThat(JobQuery.live().tag(" of another program ").tag()).isEqualTo(" of another program ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\u0000", "../x", "\ud800"})
  void refusesTokensThatUrlsWouldHaveToEscape(String text) {
    assertThatThrownBy(() -> new PageToken(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
