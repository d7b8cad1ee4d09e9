package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SourcesTest {

  private static final UUID RUN = UUID.fromString("00000000-0000-0000-0000-000000000001");

  @Test
  void generatedDeliveriesHaveTheShapeOfTheInput() throws Exception {
    List<Arrival> generated = all(new WebhookGenerator(RUN, 500));
    assertThat(generated).hasSize(500);
    assertThat(generated).extracting(arrival -> arrival.delivery().id()).doesNotHaveDuplicates();
    for (Arrival arrival : generated) {
      Delivery delivery = arrival.delivery();
      var line = new JsonMapper().createObjectNode();
      line.put("delivery", delivery.id().toString()).put("event", delivery.event());
      line.put("action", delivery.action()).put("repository", delivery.repository());
      line.set("payload", delivery.payload());
      assertThat(DeliveryParser.parse(line.toString()).withId(delivery.id()).event())
          .isEqualTo(delivery.event());
    }
    assertThat(generated)
        .extracting(arrival -> arrival.delivery().event())
        .contains("push", "issues", "dependabot_alert");
    assertThat(generated).anyMatch(arrival -> arrival.delivery().repository() == null);
    assertThat(generated).anyMatch(arrival -> arrival.delivery().isUrgent());
    assertThat(generated)
        .anyMatch(arrival -> arrival.delivery().payload().toString().length() > 500);
  }

  @Test
  void aGeneratorRepeatsItselfForItsRunOnly() {
    assertThat(all(new WebhookGenerator(RUN, 20))).isEqualTo(all(new WebhookGenerator(RUN, 20)));
    assertThat(all(new WebhookGenerator(UUID.randomUUID(), 20)))
        .doesNotContainAnyElementsOf(all(new WebhookGenerator(RUN, 20)));
  }

  @Test
  void anInputIsRepeatedWithFreshIdsUntilThereAreEnough() {
    List<Arrival> repeated = all(new FreshDeliveries(() -> new WebhookGenerator(RUN, 3), RUN, 8));
    assertThat(repeated).extracting(Arrival::line).containsExactly(1L, 2L, 3L, 1L, 2L, 3L, 1L, 2L);
    assertThat(repeated).extracting(arrival -> arrival.delivery().id()).doesNotHaveDuplicates();
  }

  @Test
  void anEmptyInputIsNotRepeatedForever() {
    assertThat(all(new FreshDeliveries(() -> new WebhookGenerator(RUN, 0), RUN, 8))).isEmpty();
  }

  @Test
  void anInputThatCannotBeReadAgainAndIsTooShortIsRefused() {
    List<DeliverySource> opened = new ArrayList<>();
    DeliverySource pipe =
        new DeliverySource() {
          private final DeliverySource three = new WebhookGenerator(RUN, 3);

          @Override
          public Optional<Arrival> next() {
            return three.next();
          }

          @Override
          public boolean isRepeatable() {
            return false;
          }
        };
    FreshDeliveries deliveries =
        new FreshDeliveries(
            () -> {
              opened.add(pipe);
              return pipe;
            },
            RUN,
            8);
    for (int n = 0; n < 3; n++) {
      assertThat(deliveries.next()).isPresent();
    }
    assertThatThrownBy(deliveries::next)
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("only 3 of 8 deliveries");
    assertThat(opened).hasSize(1);
    assertThat(all(new FreshDeliveries(() -> new WebhookGenerator(RUN, 3), RUN, 3))).hasSize(3);
  }

  @Test
  void duplicatesDoNotCountAmongTheDeliveriesReadAhead() {
    List<Arrival> arrivals = new ArrayList<>(all(new WebhookGenerator(RUN, 300)));
    arrivals.addAll(5, arrivals.subList(0, 3));
    Iterator<Arrival> given = List.copyOf(arrivals).iterator();
    Lookahead lookahead =
        new Lookahead(
            () -> given.hasNext() ? Optional.of(given.next()) : Optional.empty(),
            Fate.REPRESENTATIVE);
    long salt = Fate.saltFor(lookahead.ids());
    assertThat(lookahead.ids())
        .hasSize(Fate.REPRESENTATIVE)
        .extracting(id -> Fate.of(id, salt))
        .contains(Fate.values());
    assertThat(all(lookahead)).isEqualTo(arrivals);
  }

  @Test
  void deliveriesReadAheadAreHandedOutInOrder() {
    Lookahead lookahead = new Lookahead(new WebhookGenerator(RUN, 10), 4);
    assertThat(lookahead.ids()).hasSize(4);
    assertThat(all(lookahead)).isEqualTo(all(new WebhookGenerator(RUN, 10)));
    assertThat(lookahead.isEmpty()).isTrue();
  }

  @Test
  void badInputIsThrownOnceWhenItsTurnComes() {
    for (int ahead : new int[] {0, 2, 5}) {
      Lookahead lookahead = new Lookahead(failingAfter(2), ahead);
      assertThat(lookahead.isEmpty()).isFalse();
      assertThat(lookahead.next()).isPresent();
      assertThat(lookahead.next()).isPresent();
      assertThatThrownBy(lookahead::next).isInstanceOf(BadInputException.class);
      assertThat(lookahead.next()).isEmpty();
    }
  }

  private static DeliverySource failingAfter(int count) {
    DeliverySource source = new WebhookGenerator(RUN, count);
    return () ->
        Optional.of(source.next().orElseThrow(() -> new BadInputException("in", 3, "wrong")));
  }

  private static List<Arrival> all(DeliverySource source) {
    List<Arrival> all = new ArrayList<>();
    for (Optional<Arrival> next = source.next(); next.isPresent(); next = source.next()) {
      all.add(next.get());
    }
    return all;
  }
}
