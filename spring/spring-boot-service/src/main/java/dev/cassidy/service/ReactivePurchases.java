package dev.cassidy.service;

import org.springframework.data.cassandra.repository.ReactiveCassandraRepository;

interface ReactivePurchases extends ReactiveCassandraRepository<Purchase, Long> {}
