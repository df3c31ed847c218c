"""Networks for tests."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.relay.testing import resnet, resnet_3d


@pytest.mark.parametrize("layout, shape", [("NCDHW", (3, 4, 16, 16)), ("NDHWC", (4, 16, 16, 3))])
def test_a_residual_network_over_films_computes(layout, shape):
    mod, params = resnet_3d.get_workload(num_classes=10, num_layers=8, image_shape=shape, layout=layout)
    assert str(mod["main"].checked_type.ret_type) == "Tensor[(1, 10), float32]"
    run = relay.create_executor("graph", mod=mod, target="llvm", params=params).evaluate()
    result = run(np.ones((1, *shape), "float32")).numpy()
    np.testing.assert_allclose(result.sum(), 1, rtol=1e-5)


def test_a_residual_network_over_films_has_the_layers_of_its_name():
    for layers, convolutions in ((18, 21), (50, 53)):
        net = resnet_3d.get_net(1, 1000, layers)
        assert relay.analysis.list_op_freqs(relayopt.IRModule.from_expr(net))["nn.conv3d"] == convolutions
    with pytest.raises(ValueError, match="no experiments done on num_layers 19"):
        resnet_3d.get_net(1, 1000, 19)
    with pytest.raises(ValueError, match="no experiments done on num_layers 9"):
        resnet.get_net(1, 10, 9, (3, 28, 28))
