package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StackViewTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          at java.base/java.lang.Thread.sleep(Native Method);at com.shop.Mails.send(Mails.java:12) | Mails.send (Mails.java:12)
          at app//com.shop.Mails.send(Mails.java:12)                                               | Mails.send (Mails.java:12)
          at Mails.send(Mails.java:12)                                                             | Mails.send (Mails.java:12)
          at java.base/java.lang.Thread.sleep(Native Method)                                       | Thread.sleep (Native Method)
          at com.shop.Mails$1.send                                                                 | Mails$1.send
          The text is withheld.                                                                    | Stack
          at                                                                                       | Stack
          at ..(                                                                                   | . (
          """)
  void thePlaceIsTheInnermostFrameThatIsNotOfTheJdk(String frames, String place) {
    assertThat(StackView.place(frames.replace(";", "\n\t"))).isEqualTo(place);
  }
}
