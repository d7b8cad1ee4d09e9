package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HandlerFramesTest {

  private static final StackTraceElement HANDLER = frame("app.Mails");
  private static final StackTraceElement CALL = frame(Invocation.class.getName());
  private static final StackTraceElement RUNNER = frame(AttemptRunner.class.getName());

  private static StackTraceElement frame(String type) {
    return new StackTraceElement(type, "send", "Mails.java", 12);
  }

  private static String text(StackTraceElement... frames) {
    return HandlerFrames.text(frames);
  }

  @Test
  void framesBelowTheHandlerAreLeftOut() {
    StackTraceElement registration = frame(HandlerRegistry.Registration.class.getName());

    assertThat(text(frame("java.net.Socket"), HANDLER, registration, CALL, RUNNER))
        .isEqualTo("\tat java.net.Socket.send(Mails.java:12)\n\tat app.Mails.send(Mails.java:12)");
  }

  @Test
  void framesOfTheContextThatAHandlerCallsAreKept() {
    assertThat(text(frame(AttemptContext.class.getName()), HANDLER, CALL))
        .startsWith("\tat dev.skipjack.worker.AttemptContext.send");
  }

  @Test
  void framesOfAnotherWorkerInTheHandlerAreKept() {
    assertThat(text(HANDLER, CALL, RUNNER, frame("app.Outer"), CALL, RUNNER).lines()).hasSize(4);
  }

  @Test
  void aThreadThatIsNotInTheHandlerShowsAllFrames() {
    assertThat(text(RUNNER).lines()).hasSize(1);
    assertThat(text(CALL).lines()).hasSize(1);
    assertThat(text()).isEmpty();
  }

  @Test
  void aDeepStackIsCut() {
    List<StackTraceElement> deep = Collections.nCopies(1_000, HANDLER);

    List<String> lines = text(deep.toArray(StackTraceElement[]::new)).lines().toList();

    assertThat(lines).hasSize(HandlerFrames.MOST + 1);
    assertThat(lines.get(HandlerFrames.MOST)).isEqualTo("\t... 920 more");
  }

  @Test
  void aNameOfManyCharactersIsCut() {
    assertThat(text(frame("x".repeat(60_000)))).hasSize("\tat ".length() + 300 + "...".length());
  }

  @Test
  void aNameWithLineBreaksIsOneLine() {
    String hostile =
        Stream.of("\n", "\r", "\u0085", "\u2028", "\0", "\u001b[2J").reduce("a", String::concat);

    String text = text(frame(hostile + "\n\tat app.Innocent.run(Innocent.java:1)"));

    assertThat(text.lines()).hasSize(1);
    assertThat(text.substring(1)).doesNotContainPattern("[\\p{Cntrl}\u0085\u2028]");
  }
}
