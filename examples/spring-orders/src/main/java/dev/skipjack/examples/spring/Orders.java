package dev.skipjack.examples.spring;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** The table of orders. */
interface Orders extends JpaRepository<Order, UUID> {}
