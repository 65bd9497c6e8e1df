"""Data and prior -> data without what the prior predicts: the models behind `unprior.Residual`."""
