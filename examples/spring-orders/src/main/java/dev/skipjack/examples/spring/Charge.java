package dev.skipjack.examples.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A charge of an order's amount. No constraint prevents a second charge of the same order. */
@SuppressWarnings("unused") // Hibernate reads the fields
@Entity
@Table(name = "charges")
class Charge {

  @Id
  @GeneratedValue(strategy = GenerationType.UUID)
  private @Nullable UUID id;

  private UUID orderId;
  private long cents;

  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields.
  protected Charge() {}

  Charge(Order order) {
    this.orderId = order.id();
    this.cents = order.cents();
  }
}
