package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobError;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedactionTest {

  private static final Redaction WITH =
      new Redaction(PayloadView.standard().and(PayloadView.masking("iban")), true);

  private static final Redaction WITHOUT = new Redaction(PayloadView.standard(), false);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          password=abc, user=x                | password=•••, user=x
          password: abc                       | password: •••
          {"password":"a\\"b","user":"x"}     | {"password":•••,"user":"x"}
          {\\"password\\":\\"abc\\"} rest     | {\\"password\\":•••} rest
          {"token":{"a":1}} and all that      | {"token":•••
          Authorization: Bearer abc.def rest  | Authorization: ••• rest
          ?access_token=abc&x=1               | ?access_token=•••&x=1
          X-Api-Key: abc                      | X-Api-Key: •••
          db.password = abc                   | db.password = •••
          iban 'DE1'                          | iban 'DE1'
          IBAN='DE1 2' rest                   | IBAN=••• rest
          secret="never closed                | secret=•••
          passwordless=1                      | passwordless=1
          """)
  void valuesOfMaskedNamesAreReplaced(String message, String expected) {
    assertThat(WITH.message(message)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          password=abc, user=x                | password=•••, user=x
          password=hunter2, user=x            | password=•••, user=x
          password: abc                       | password: •••
          {"password":"ab","user":"x"}        | {*:•••,*:*}
          {"password":"a\\"b","user":"x"}     | {*:•••*
          {"name":"a\\"b","user":"Anna"}      | {*:*
          {"token":{"a":1}} and all that      | {*:•••
          Authorization: Bearer abc.def rest  | Authorization: ••• rest
          ?access_token=abc&x=1               | ?access_token=•••&*
          X-Api-Key: abc                      | X-Api-Key: •••
          user1.password: abc rest            | *: ••• rest
          "password": abc rest                | *: ••• rest
          'a password=x' is 'Bob B' rest      | *••• is * rest
          secret="never closed                | secret=•••
          passwordless=x                      | passwordless=x
          secret=                             | secret=•••
          """)
  void valuesOfMaskedNamesAreReplacedForUsersWithoutPayloads(String message, String expected) {
    assertThat(WITHOUT.message(message)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "Key wJalrXUtnFEMI/K7MDENG/bPx is unknown,Key * is unknown",
    "Key wJalrXUtnFEMI/*/bPx is unknown,Key * is unknown",
    "Order * of (*) failed,Order * of (*) failed",
    "Key YWJjZGVm==x1 is unknown,Key * is unknown",
    "No /home/anna/file~1 there,No * there",
    "Anna%20B and Anna+7 are unknown,* and * are unknown",
    "Read and/or write,Read and/or write"
  })
  void aValueWithSignsIsHiddenAsAWhole(String message, String expected) {
    assertThat(WITHOUT.message(message)).isEqualTo(expected);
  }

  @Test
  void usersWithoutPayloadsReadMessagesWithoutValues() {
    assertThat(WITHOUT.message("Order 4711 of 'Anna B' can't pay \"EUR 5\" to a@b.example\nline 2"))
        .isEqualTo("Order * of * can't pay * to *");
    assertThat(WITHOUT.message("Not closed 'Anna")).isEqualTo("Not closed *");
    assertThat(WITHOUT.message("Größe größe١ ok")).isEqualTo("Größe * ok");
  }

  @Test
  void usersWithoutPayloadsReadOnlyTheFramesOfStackTraces() {
    String stack =
        """
        java.lang.IllegalStateException: Anna
        at night, all cats are grey
        \tat app//com.shop.Order.pay(Order.java:12)
        \tat java.base/java.lang.Thread.sleep(Native Method)
        \tat a secret sentence (that looks like a frame)
        Caused by: java.io.IOException: Anna
        \t... 12 more
        Anna.Secret is a name
        """;

    JobError shown =
        Objects.requireNonNull(
            WITHOUT.error(new JobError("java.lang.IllegalStateException", "Anna 1", stack)));

    assertThat(shown.stack())
        .isEqualTo(
            """
            java.lang.IllegalStateException
            \tat app//com.shop.Order.pay(Order.java:12)
            \tat java.base/java.lang.Thread.sleep(Native Method)
            Caused by: java.io.IOException\
            """);
    assertThat(shown.message()).isEqualTo("Anna *");
  }

  @Test
  void theErrorAtTheEndOfASentenceIsRedacted() {
    assertThat(WITHOUT.sentence("Dead: 3 of 3 attempts are used up. Error: Order 7 failed"))
        .isEqualTo("Dead: 3 of 3 attempts are used up. Error: Order * failed");
    assertThat(WITHOUT.sentence("Dead: attempt 3 failed in a way that rules out a retry."))
        .isEqualTo("Dead: attempt 3 failed in a way that rules out a retry.");
    assertThat(WITHOUT.sentence("Dead: Parked behind job 7"))
        .isEqualTo("Dead: Parked behind job *");
    assertThat(WITHOUT.sentence("Schedule a-1 has failed to fire 3 times: Order 7: not found"))
        .isEqualTo("Schedule a-1 has failed to fire 3 times: Order *: not found");
    assertThat(WITHOUT.sentence("The job is due in 5 min.")).isEqualTo("The job is due in 5 min.");
    assertThat(WITH.sentence("Retry in 5 s. Last error: token=x"))
        .isEqualTo("Retry in 5 s. Last error: token=•••");
  }

  @Test
  void longTextsWithoutSeparatorsAreRedactedQuickly() {
    assertThat(WITHOUT.message("a".repeat(8_000) + "1")).isEqualTo("*");
    assertThat(WITHOUT.message("\"" + "\\\"".repeat(4_000))).isEqualTo("*");
    assertThat(WITH.message("a".repeat(8_000))).hasSize(8_000);
    assertThat(WITH.message("password=\"" + "\\\"".repeat(4_000))).isEqualTo("password=•••");
  }
}
