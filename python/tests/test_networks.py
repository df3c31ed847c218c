"""Networks for tests, and what is made of their results."""

import numpy as np
import pytest

import relayopt
from relayopt import relay
from relayopt.relay.testing import resnet, resnet_3d, yolo_detection
from relayopt.relay.testing.yolo_detection import Box


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


def yolo_layer():
    """One anchor, 2 x 2 cells, two classes; a box in the middle of the cell of row 1, column 0."""
    output = np.zeros((1, 7, 2, 2), "float32")
    output[0, :, 1, 0] = [0.5, 0.5, 0, 0, 0.8, 0.9, 0.25]
    return {"type": "Yolo", "output": output, "biases": [16, 8], "mask": [0], "classes": 2}


def test_boxes_of_yolo_layers():
    found, = yolo_detection.fill_network_boxes((32, 32), (64, 64), 0.5, True, [yolo_layer()])
    assert found["bbox"] == Box(0.25, 0.75, 0.5, 0.25) and found["classes"] == 2
    np.testing.assert_allclose(found["prob"], [0.72, 0])
    pixels, = yolo_detection.fill_network_boxes((32, 32), (64, 64), 0.5, False, [yolo_layer()])
    assert pixels["bbox"] == Box(16, 48, 32, 16)
    # A picture twice as wide as high fills half of the input's height.
    wide, = yolo_detection.fill_network_boxes((32, 32), (64, 32), 0.5, True, [yolo_layer()])
    assert wide["bbox"] == Box(0.25, 1.0, 0.5, 0.5)


def test_boxes_of_region_layers():
    output = np.zeros((1, 7, 1, 2), "float32")
    output[0, :, 0, 1] = [0.5, 0.5, 0, 0, 0.8, 0.9, 0.1]
    layer = {"type": "Region", "output": output, "biases": [1, 0.5], "coords": 4, "background": False, "classes": 2}
    nothing, found = yolo_detection.fill_network_boxes((32, 32), (32, 32), 0.5, True, [layer])
    assert nothing["objectness"] == 0 and list(nothing["prob"]) == [0, 0]
    assert found["bbox"][:2] == (0.75, 0.5)
    np.testing.assert_allclose(found["prob"], [0.72, 0])
    with pytest.raises(ValueError, match="a layer is of type Yolo or Region, not Other"):
        yolo_detection.fill_network_boxes((32, 32), (32, 32), 0.5, True, [{"type": "Other"}])


def test_boxes_that_overlap_a_more_probable_one_are_cleared():
    def detection(x, prob, objectness=1.0):
        return {"bbox": Box(x, 0.5, 0.2, 0.2), "prob": np.array(prob), "objectness": objectness}

    dets = [detection(0.9, [0.1], 0), detection(0.51, [0.6]), detection(0.5, [0.9]), detection(0.1, [0.3])]
    yolo_detection.do_nms_sort(dets, 1, 0.5)
    assert [(d["bbox"].x, d["prob"][0]) for d in dets] == [(0.5, 0.9), (0.51, 0.0), (0.1, 0.3), (0.9, 0.1)]
