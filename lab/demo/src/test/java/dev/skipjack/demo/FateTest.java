package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FateTest {

  private static final UUID RUN = UUID.fromString("00000000-0000-0000-0000-000000000002");

  @Test
  void threeInAHundredFailOnceAndFiveInAThousandAlways() {
    Map<Fate, Double> shares = shares(Fate.class, id -> Fate.of(id, 1));
    assertThat(shares.get(Fate.FAILS_ONCE)).isCloseTo(0.03, within(0.002));
    assertThat(shares.get(Fate.POISONED)).isCloseTo(0.005, within(0.001));
  }

  @Test
  void oneInTenIsSentTwiceHalfOfThemLater() {
    Map<SecondSend, Double> shares = shares(SecondSend.class, id -> SecondSend.of(id, 1));
    assertThat(shares.get(SecondSend.AT_ONCE)).isCloseTo(0.05, within(0.003));
    assertThat(shares.get(SecondSend.WHEN_DONE)).isCloseTo(0.05, within(0.003));
  }

  @Test
  void theSecondSendDoesNotDependOnTheFate() {
    double sentAgain =
        ids(100_000).stream()
            .filter(id -> Fate.of(id, 5) == Fate.FAILS_ONCE)
            .mapToInt(id -> SecondSend.of(id, 5) == SecondSend.NONE ? 0 : 1)
            .average()
            .orElseThrow();
    assertThat(sentAgain).isCloseTo(0.1, within(0.02));
  }

  @Test
  void twoHundredDeliveriesMeetEveryFate() {
    for (int attempt = 0; attempt < 50; attempt++) {
      UUID run = UUID.randomUUID();
      List<UUID> ids =
          LongStream.rangeClosed(1, 200).mapToObj(n -> FreshDeliveries.id(run, n)).toList();
      long salt = Fate.saltFor(ids);
      assertThat(ids).extracting(id -> Fate.of(id, salt)).contains(Fate.values());
    }
  }

  @Test
  void fewerTakeWhatComes() {
    assertThat(Fate.saltFor(ids(199))).isZero();
    assertThat(Fate.saltFor(List.of())).isZero();
  }

  @Test
  void onlyTheFirstAttemptOfAJobThatFailsOnceFails() {
    assertThat(Fate.FAILS_ONCE.fails(1)).isTrue();
    assertThat(Fate.FAILS_ONCE.fails(2)).isFalse();
    assertThat(Fate.POISONED.fails(3)).isTrue();
    assertThat(Fate.SUCCEEDS.fails(1)).isFalse();
  }

  @Test
  void aPoisonedJobGivesUpAtItsThirdAttemptOrLater() {
    assertThat(Fate.POISONED.givesUp(2)).isFalse();
    assertThat(Fate.POISONED.givesUp(3)).isTrue();
    assertThat(Fate.POISONED.givesUp(5)).isTrue();
    assertThat(Fate.FAILS_ONCE.givesUp(3)).isFalse();
  }

  private static List<UUID> ids(long count) {
    return LongStream.rangeClosed(1, count).mapToObj(n -> FreshDeliveries.id(RUN, n)).toList();
  }

  private static <E extends Enum<E>> Map<E, Double> shares(Class<E> type, Function<UUID, E> draw) {
    Map<E, Double> shares = new EnumMap<>(type);
    ids(100_000).forEach(id -> shares.merge(draw.apply(id), 1e-5, Double::sum));
    return shares;
  }
}
